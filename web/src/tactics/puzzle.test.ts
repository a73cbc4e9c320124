import { describe, expect, it } from 'vitest';
import { Puzzle } from './puzzle';

// Mate in two: 1.Ra7 (any) 2.Rb8#; 1.Rb7 2.Ra8# would do as well.
const rooks = { id: '1', fen: '6k1/8/8/8/8/8/RR6/6K1 w - - 0 1', moves: ['a2a7', 'g8f8', 'b2b8'], tags: ['mateIn2'], source: 'hand' };

describe('a puzzle', () => {
  it('is solved by its moves, with the replies between them', () => {
    const puzzle = new Puzzle(rooks);
    expect([puzzle.solver, puzzle.wanted?.san]).toEqual(['white', 'Ra7']);
    expect(puzzle.try('a2a7')).toBe('right');
    puzzle.reply();
    expect(puzzle.last).toBe('g8f8');
    expect(puzzle.try('b2b8')).toBe('solved');
    expect([puzzle.solved, puzzle.misses]).toEqual([true, 0]);
  });

  it('stands where it stood after a wrong move, and helps after two', () => {
    const puzzle = new Puzzle(rooks);
    const hints = [0, 1, 2, 3].map(() => {
      expect(puzzle.try('a2a3')).toBe('wrong');
      return puzzle.hint;
    });
    expect(hints).toEqual(['none', 'piece', 'piece', 'move']);
    expect(puzzle.fen).toBe(rooks.fen);
  });

  it('gives no help with a move for mistakes with the one before', () => {
    const puzzle = new Puzzle(rooks);
    for (let miss = 0; miss < 4; miss++) puzzle.try('a2a3');
    puzzle.try('a2a7');
    puzzle.reply();
    expect(puzzle.hint).toBe('none');
  });

  it('takes any mate where the solution mates', () => {
    const queen = { ...rooks, fen: '7k/R7/6K1/8/8/8/8/1Q6 w - - 0 1', moves: ['b1b8'] };
    const other = new Puzzle(queen);
    expect(other.try('a7a8')).toBe('solved');
    expect(other.last).toBe('a7a8');
    expect(new Puzzle(queen).try('b1b3')).toBe('wrong');
  });

  it('refuses a solution that cannot be played', () => {
    expect(() => new Puzzle({ ...rooks, moves: ['a2b9'] })).toThrow('cannot be played');
  });
});
