import { describe, expect, it } from 'vitest';
import { walked } from './walk.svelte';

const uci = (line: { plies: { uci: string }[] }) => line.plies.map((ply) => ply.uci);

describe('the line of an address', () => {
  it('is what was played', () => {
    const { line, ply, trouble } = walked(null, 'e2e4,e7e5', null);
    expect([uci(line), ply, trouble]).toEqual([['e2e4', 'e7e5'], 2, null]);
  });

  it('keeps the moves ahead when one goes back on it', () => {
    const whole = walked(null, 'e2e4,e7e5,g1f3', null).line;
    const back = walked(null, 'e2e4', whole);
    expect([uci(back.line), back.ply]).toEqual([['e2e4', 'e7e5', 'g1f3'], 1]);
    expect(walked(null, null, whole).ply).toBe(0);
  });

  it('forgets them when another move is played', () => {
    const whole = walked(null, 'e2e4,e7e5,g1f3', null).line;
    expect(uci(walked(null, 'e2e4,c7c5', whole).line)).toEqual(['e2e4', 'c7c5']);
  });

  it('says what cannot be played, and stands at the start', () => {
    const { ply, trouble } = walked(null, 'e2e4,e2e4', null);
    expect(ply).toBe(0);
    expect(trouble).toContain('“e2e4” cannot be played');
    expect(walked('nonsense', null, null).trouble).toContain('is not a FEN');
  });
});
