import { describe, expect, it } from 'vitest';
import { INITIAL_FEN, type Line } from './line';
import { read } from './paste';

describe('what was pasted', () => {
  it('is a position, with or without its counters', () => {
    const bare = 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -';
    expect(read(bare)).toEqual({ kind: 'fen', fen: `${bare} 0 1` });
    expect(read(bare.replaceAll(' ', '_'))).toEqual({ kind: 'fen', fen: `${bare} 0 1` });
  });

  it('is a game with tags, or bare moves', () => {
    const game = read('[White "A"]\n[Black "B"]\n\n1. e4 {good} e5 2. Nf3 *');
    expect(game.kind === 'line' && game.line.plies.map((ply) => ply.san)).toEqual(['e4', 'e5', 'Nf3']);
    const moves = read('e4 e5 Nf3');
    expect(moves.kind === 'line' && moves.line.plies.length).toBe(3);
  });

  it('starts where a FEN tag says', () => {
    const game = read('[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n[SetUp "1"]\n\n1. e4 Kd7 *');
    expect(game.kind === 'line' && game.line.start).toBe('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1');
  });

  it('is as much of a game as can be played', () => {
    const broken = read('1.e4 e5 2.Nf3 Nc6 3.Qh8');
    expect(broken).toMatchObject({ kind: 'line', whole: false });
    expect(broken.kind === 'line' && broken.line.plies.length).toBe(4);
  });

  it('is read in one go, however early it cannot be played on', () => {
    const moves = Array.from({ length: 3000 }, (_, n) => ['Nf3', 'Nf6', 'Ng1', 'Ng8'][n % 4]).join(' ');
    const begun = performance.now();
    expect(read(`1. ${moves} Qh8 ${'e4 '.repeat(500)}`)).toMatchObject({ kind: 'line', whole: false });
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('is read with the figurines that the page writes', () => {
    const { line } = read('1. e4 e5 2. ♘\uFE0Ef3 ♞c6 3.♗b5 ♟a6') as { line: Line };
    expect(line.plies.map((ply) => ply.san)).toEqual(['e4', 'e5', 'Nf3', 'Nc6', 'Bb5', 'a6']);
    expect(read('♘f3', INITIAL_FEN)).toMatchObject({ kind: 'move', uci: 'g1f3' });
  });

  it.each([
    ['8/8/8/8/8/8/8/8 w - - 0 1', 'the board is empty'],
    ['8/8/8/9/8/8/8/8 w - - 0 1', 'is not a FEN'],
    ['rnbqkbnr/pppppppp/8/8/4P3/8', 'is not a FEN'],
    ['1.e5', '“e5” cannot be played as the first move'],
    ['1... c5 2.Nf3', '“c5” cannot be played as the first move'],
    ['1.nonsense', 'is not a line of moves'],
    ['[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *', 'cannot be played'],
  ])('is said to be wrong where it cannot be played: %s', (text, why) => {
    expect(read(text, INITIAL_FEN)).toEqual({ kind: 'wrong', why: expect.stringContaining(why) });
  });

  it('is nothing yet while it is being typed', () => {
    for (const text of ['1', '1.', '1. ', 'e', 'Italian 1/2']) expect(read(text, INITIAL_FEN)).toEqual({ kind: 'words' });
  });

  it('is a move where one can be played, else a name', () => {
    expect(read('Nf3', INITIAL_FEN)).toEqual({ kind: 'move', san: 'Nf3', uci: 'g1f3' });
    expect(read('Nf6', INITIAL_FEN)).toEqual({ kind: 'words' });
    expect(read('najdrof', INITIAL_FEN)).toEqual({ kind: 'words' });
    expect(read('kings indian', INITIAL_FEN)).toEqual({ kind: 'words' });
    expect(read('C50')).toEqual({ kind: 'words' });
  });
});
