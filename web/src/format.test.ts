import { describe, expect, it } from 'vitest';
import { count, evaluation, expectedPoints, games, percent, result, surname, year } from './format';

describe('numbers people can read', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1.0k'],
    [45_210, '45.2k'],
    [99_949, '99.9k'],
    [99_950, '100k'],
    [772_499, '772k'],
    [999_500, '1.0M'],
    [1_899_000, '1.9M'],
    [1_113_000, '1.11M'],
    [45_000_000, '45.0M'],
    [190_000_000, '190M'],
  ])('counts %i as %s', (n, text) => expect(count(n)).toBe(text));

  it.each([
    [38.214, '38\u2009%'],
    [0.4, '<\u20091\u2009%'],
    [0, '0\u2009%'],
    [null, ''],
  ])('says %s percent as "%s"', (value, text) => expect(percent(value)).toBe(text));

  it.each([
    [32, null, '+0.32'],
    [-258, undefined, '−2.58'],
    [0, null, '0.00'],
    [1000, 3, '#3'],
    [-1000, -3, '#-3'],
    [1000, 0, '#'],
    [null, null, ''],
  ])('evaluates %s, mate %s as "%s"', (cp, mate, text) => expect(evaluation(cp, mate)).toBe(text));

  it('gives the expected points of the review rules', () => {
    expect(expectedPoints(45)).toBeCloseTo(0.539, 3);
    expect(expectedPoints(-300)).toBeCloseTo(1 - 0.741, 3);
    expect(expectedPoints(1000, 4)).toBe(1);
    expect(expectedPoints(-1000, -1)).toBe(0);
    expect(expectedPoints(1000, 0)).toBe(1);
    expect(expectedPoints(-1000, 0)).toBe(0);
  });

  it('counts one game in the singular', () => {
    expect(games(1)).toBe('1 game');
    expect(games(2)).toBe('2 games');
  });
});

describe('what a game is called', () => {
  it('prints results with dashes', () => {
    expect(result('1-0')).toBe('1–0');
    expect(result('1/2-1/2')).toBe('½–½');
    expect(result('*')).toBe('*');
  });

  it('says the year of a date, where it is known', () => {
    expect(year('1984-09-10')).toBe('1984');
    expect(year('?')).toBe('');
  });

  it.each([
    ['Carlsen, Magnus', 'Carlsen'],
    ['Garry Kasparov', 'Kasparov'],
    ['DrNykterstein', 'DrNykterstein'],
  ])('calls %s %s', (name, last) => expect(surname(name)).toBe(last));
});
