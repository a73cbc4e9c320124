import { describe, expect, it } from 'vitest';
import fixture from '../../tests/fixtures/review.json';
import { type WireReview, reviewOf } from './report';

const wire = fixture as unknown as WireReview;
const review = reviewOf(wire);

describe('a review', () => {
  it('has every move with its class and value', () => {
    expect(review.moves).toHaveLength(47);
    expect(review.moves[37]).toMatchObject({ number: 19, white: false, san: 'Qxf3', class: 'blunder', value: '+3.93', valueBefore: '0.00', best: { san: 'Bd4', uci: 'b6d4' } });
    expect(review.moves[37]?.bestLine.slice(0, 3)).toEqual(['Bd4', 'cxd4', 'Qxf3']);
    expect(review.moves[39]?.value).toBe('#4');
  });

  it('says the result behind a mate', () => {
    expect(review.moves.at(-1)).toMatchObject({ value: '1–0', points: 1 });
  });

  it('measures height by expected points', () => {
    expect(review.moves[36]?.points).toBe(0.5);
    expect(review.moves[37]?.points).toBeCloseTo(0.798, 3);
    expect(review.moves[40]?.points).toBe(1);
  });

  it('knows what was said of the position it starts from, or that nothing was', () => {
    expect(review.begun).toMatchObject({ cp: 25, mate: null });
    const [{ previousEvaluation: _, ...first } = wire.moves[0]!, ...rest] = wire.moves;
    expect(reviewOf({ ...wire, moves: [first, ...rest] }).begun).toEqual({ cp: null, mate: null, points: null });
  });

  it('offers another move only where another was better', () => {
    expect(review.moves[0]?.best).toBeNull();
    expect(review.moves[0]?.bestLine).toEqual([]);
  });

  it('counts all ten classes of both sides', () => {
    expect(review.sides.map((side) => Object.values(side.counts).reduce((a, b) => a + b))).toEqual([24, 23]);
    expect(review.sides[1].counts.blunder).toBe(1);
  });

  it('is taken out of a report over a file, and leaves variations out', () => {
    const moves = [...wire.moves, { ...wire.moves[0]!, mainline: false }];
    expect(reviewOf({ games: [{ ...wire, moves }] }).moves).toHaveLength(47);
    expect(() => reviewOf({ games: [] })).toThrow('There is no game in it.');
  });

  it('shows what was not judged without a class', () => {
    const moves = [{ ...wire.moves[0]!, classification: null, evaluation: null, accuracy: null }];
    expect(reviewOf({ ...wire, moves }).moves[0]).toMatchObject({ class: null, value: '', cp: null, mate: null, points: null });
  });
});
