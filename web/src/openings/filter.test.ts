import { describe, expect, it } from 'vitest';
import type { Entry } from './catalogue';
import { almost, filter, pieces } from './filter';

function entry(eco_code: string, name: string, game_count = 1): Entry {
  return { slug: name, eco_code, name, line: '', games: { game_count, white: 0, draws: game_count, black: 0 } };
}

const all = [
  entry('B90', 'Sicilian Defense: Najdorf Variation', 100),
  entry('B90', 'Sicilian Defense: Najdorf Variation, English Attack', 245),
  entry('B90', 'Sicilian Defense: Najdorf Variation, Petronić Attack', 2),
  entry('C50', 'Italian Game', 50),
  entry('C42', "Petrov's Defense", 20),
  entry('E60', "King's Indian Defense", 30),
  entry('A04', 'Réti Opening', 8),
];

const names = (query: string) => filter(all, query).map((hit) => hit.entry.name);

describe('the filter', () => {
  it('wants every word, in a few letters', () => {
    expect(names('naj att')).toEqual([
      'Sicilian Defense: Najdorf Variation, English Attack',
      'Sicilian Defense: Najdorf Variation, Petronić Attack',
    ]);
    expect(names('naj xyz')).toEqual([]);
  });

  it('shows all by games where nothing is asked', () => {
    expect(names('  ')[0]).toBe('Sicilian Defense: Najdorf Variation, English Attack');
    expect(names('')).toHaveLength(all.length);
  });

  it('forgives accents, apostrophes and one slip', () => {
    expect(names('reti')).toEqual(['Réti Opening']);
    expect(names('kings indian')).toEqual(["King's Indian Defense"]);
    expect(names('petrovs')).toEqual(["Petrov's Defense"]);
    expect(names('najdrof english')).toEqual(['Sicilian Defense: Najdorf Variation, English Attack']);
    expect(names('petronic')).toEqual(['Sicilian Defense: Najdorf Variation, Petronić Attack']);
  });

  it('takes codes and ranges of them', () => {
    expect(names('C50')).toEqual(['Italian Game']);
    expect(names('c4')).toEqual(["Petrov's Defense"]);
    expect(names('C40–59')).toEqual(['Italian Game', "Petrov's Defense"]);
    expect(names('B90 petr')).toEqual(['Sicilian Defense: Najdorf Variation, Petronić Attack']);
  });

  it('marks what was asked for', () => {
    const hit = filter(all, 'naj att')[0];
    expect(hit && pieces(hit.entry.name, hit.marks).filter((piece) => piece.marked).map((piece) => piece.text)).toEqual(['Naj', 'Att']);
    expect(hit && pieces(hit.entry.name, hit.marks).map((piece) => piece.text).join('')).toBe(hit?.entry.name);
  });
});

it.each([
  ['najdorf', 'najdrof', true],
  ['najdorf', 'nadjorf', true],
  ['najdorf', 'najdof', true],
  ['najdorf', 'najjdorf', true],
  ['najdorf', 'nxjdxrf', false],
  ['italian', 'itl', false],
])('%s is meant by %s: %s', (text, word, is) => expect(almost(text, word)).toBe(is));
