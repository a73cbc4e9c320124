import { describe, expect, it } from 'vitest';
import { lineOfSan } from '../chess/line';
import { type Node, descend, endings, playOf, rows } from './tree';

function node(sans: string[], game_count: number, children: Node[] = [], structure?: string): Node {
  const plies = lineOfSan(sans).plies;
  return {
    san: sans.at(-1) ?? '',
    fen: plies.at(-1)?.fen ?? '',
    engineResponses: [],
    responseWeights: [],
    game_count,
    children,
    ...(structure ? { resulting_structure: structure } : {}),
  };
}

const nf3 = node(['e4', 'e5', 'Nf3'], 30, [node(['e4', 'e5', 'Nf3', 'Nc6'], 25, [], 'Open Center')]);
const f4 = node(['e4', 'e5', 'f4'], 4, [node(['e4', 'e5', 'f4', 'exf4'], 3, [], 'Open Center')]);
const nc3 = node(['e4', 'e5', 'Nc3'], 6, [], 'Unknown');
const e5 = node(['e4', 'e5'], 40, [f4, nc3, nf3]);
const roots = [node(['e4'], 90, [e5])];

describe('a tree', () => {
  it('is entered along its line, also where it begins after White’s first move', () => {
    expect(descend(roots, ['e4', 'e5'])).toBe(e5);
    expect(descend([e5], ['e4', 'e5'])).toBe(e5);
    expect(descend(roots, ['e4', 'c5'])).toBeUndefined();
  });

  it('unfolds by games, and as it was chosen', () => {
    expect(rows(e5, new Map()).map((row) => row.path)).toEqual(['Nf3', 'Nf3 Nc6', 'Nc3', 'f4']);
    const folded = rows(e5, new Map([['Nf3', false], ['f4', true]]));
    expect(folded.map((row) => [row.path, row.folds, row.open])).toEqual([
      ['Nf3', true, false],
      ['Nc3', false, false],
      ['f4', true, true],
      ['f4 exf4', false, false],
    ]);
  });

  it('numbers its moves', () => {
    expect(rows(e5, new Map()).slice(0, 2).map((row) => [row.number, row.white])).toEqual([
      [2, true],
      [2, false],
    ]);
  });

  it('says a name where it begins', () => {
    const named = { ...e5, commentary: 'Open Game', children: [{ ...nf3, commentary: 'Open Game' }, { ...f4, commentary: 'King’s Gambit' }] };
    expect(rows(named, new Map([['Nf3', false]])).map((row) => row.name)).toEqual(['', 'King’s Gambit']);
  });

  it('says what its lines end in, by the most played position', () => {
    expect(endings(e5)).toEqual([{ name: 'Open Center', games: 28, positions: 2, path: 'Nf3 Nc6', fen: nf3.children?.[0]?.fen }]);
  });

  it('gives an address for every row', () => {
    expect(playOf(lineOfSan(['e4', 'e5']).plies, 'Nf3 Nc6')).toBe('e2e4,e7e5,g1f3,b8c6');
    expect(playOf(lineOfSan(['e4']).plies, '')).toBe('e2e4');
  });
});
