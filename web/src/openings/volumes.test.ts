import { describe, expect, it } from 'vitest';
import type { Code } from './catalogue';
import { VOLUMES, codeName, gamesIn, heat, shades, steps } from './volumes';

function codes(counts: Record<string, number>): Map<string, Code> {
  const entries = Object.entries(counts).map(([eco_code, game_count]) => ({
    eco_code,
    name: eco_code,
    slug: eco_code,
    line: '',
    fen: null,
    games: { game_count, white: game_count, draws: 0, black: 0 },
  }));
  return new Map(entries.map((code) => [code.eco_code, code]));
}

describe('the map', () => {
  it('leaves no code out of its index and none in twice', () => {
    for (const volume of VOLUMES) {
      const numbers = volume.index.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
      expect([volume.letter, numbers]).toEqual([volume.letter, Array.from({ length: 100 }, (_, n) => n)]);
    }
  });

  it('adds up ranges', () => {
    const some = codes({ C50: 3, C59: 4, C60: 100, B50: 7 });
    expect(gamesIn(some, 'C', 50, 59)).toBe(7);
    expect(gamesIn(some, 'C')).toBe(107);
    expect(codeName('A', 3)).toBe('A03');
  });

  it('shades by the logarithm', () => {
    const from = steps(codes({ A00: 1_000_000, A01: 1 }).values());
    expect(from).toEqual([1, 10, 100, 1000, 10_000, 100_000]);
    expect([0, 1, 9, 10, 99_999, 100_000, 1_000_000].map((n) => heat(n, from))).toEqual([0, 1, 1, 2, 5, 6, 6]);
  });

  it('has something to shade by when there is next to nothing', () => {
    const from = steps(codes({ A00: 2 }).values());
    expect(heat(2, from)).toBe(6);
    expect(heat(0, steps([]))).toBe(0);
  });

  it('has a legend of the shades there are', () => {
    const from = steps(codes({ A00: 3, A01: 1 }).values());
    expect(from).toEqual([1, 1, 1, 2, 2, 2]);
    expect(shades(from)).toEqual([1, 2, 3].map((n) => heat(n, from)).filter((step, index, all) => all.indexOf(step) === index));
    expect(shades(steps(codes({ A00: 1_000_000 }).values()))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
