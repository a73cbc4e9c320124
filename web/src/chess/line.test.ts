import { describe, expect, it } from 'vitest';
import { INITIAL_FEN, fenAt, lineOfSan, lineOfText, lineOfUci, numbered, numberedPly, position, written } from './line';

describe('a line', () => {
  it('knows its moves by every name', () => {
    const line = lineOfUci(['e2e4', 'e7e5', 'g1f3', 'b8c6', 'f1c4', 'f8c5', 'e1g1']);
    expect(written(line.plies)).toBe('1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.O-O');
    expect(line.plies.at(-1)?.uci).toBe('e1g1');
    expect(fenAt(line, 6)).toBe('r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4');
    expect(fenAt(line, 0)).toBe(INITIAL_FEN);
    expect(fenAt(line, 99)).toBe(line.plies.at(-1)?.fen);
  });

  it('writes castling as the king going two squares, however it was given', () => {
    const before = ['e2e4', 'e7e5', 'g1f3', 'b8c6', 'f1c4', 'f8c5'];
    expect(lineOfUci([...before, 'e1h1']).plies.at(-1)).toEqual(lineOfUci([...before, 'e1g1']).plies.at(-1));
  });

  it('offers no castling that only Chess960 has, as nothing is known behind it', () => {
    expect(lineOfUci([], '4k3/8/8/8/8/8/8/6KR w H - 0 1').start).toBe('4k3/8/8/8/8/8/8/6KR w - - 0 1');
    expect(lineOfUci([], 'r3k1r1/8/8/8/8/8/8/R3K2R w HAga - 0 1').start).toBe('r3k1r1/8/8/8/8/8/8/R3K2R w KQq - 0 1');
    expect(() => lineOfUci(['g1h1'], '4k3/8/8/8/8/8/8/6KR w H - 0 1')).toThrow('cannot be played');
    // Elsewhere it is still read: reviews know it.
    expect(position('4k3/8/8/8/8/8/8/6KR w H - 0 1').castles.castlingRights.nonEmpty()).toBe(true);
  });

  it('names the en-passant square only where it can be taken', () => {
    expect(fenAt(lineOfSan(['e4']), 1)).toBe('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1');
    expect(fenAt(lineOfSan(['e4', 'a6', 'e5', 'd5']), 4)).toContain(' d6 ');
  });

  it('refuses what cannot be played, and says where', () => {
    expect(() => lineOfUci(['e2e5'])).toThrow('“e2e5” cannot be played in rnbqkbnr');
    expect(() => lineOfSan(['e4', 'Ke3'])).toThrow('“Ke3” cannot be played');
    expect(() => position('8/8/8/8/8/8/8/8 w')).toThrow('the board is empty');
    expect(() => position('nonsense')).toThrow('is not a FEN');
  });

  it('numbers from the position it starts at', () => {
    const line = lineOfSan(['Bc5', 'O-O'], 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3');
    expect(written(line.plies)).toBe('3…Bc5 4.O-O');
    expect(line.plies.map(numbered)).toEqual(['3…Bc5', '4.O-O']);
    expect(numberedPly(38, 'Kh8')).toBe('19…Kh8');
  });

  it('reads moves as people write them', () => {
    const text = '1.e4! e5 2. Nf3 {best} Nc6 3.Bc4 (3.Bb5 a6) 3...Bc5?! $14 1/2-1/2';
    expect(written(lineOfText(text).plies)).toBe('1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5');
  });
});
