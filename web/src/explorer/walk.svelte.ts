// The line in the explorer's address, and where on it we stand. Moves behind that point are remembered as long as what is
// walked is the same line, so that forward leads on.

import type { Asked } from '../api/position';
import { INITIAL_FEN, type Line, LineError, fenAt, lineOfUci } from '../chess/line';
import { href, router } from '../router.svelte';

interface Walked {
  line: Line;
  ply: number;
  /** What of the address could not be played. */
  trouble: string | null;
}

export function walked(fen: string | null, play: string | null, before: Line | null): Walked {
  const start = fen ?? INITIAL_FEN;
  const moves = play ? play.split(',') : [];
  let line: Line;
  try {
    line = lineOfUci(moves, start);
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return { line: { start: INITIAL_FEN, plies: [] }, ply: 0, trouble: error.message };
  }
  const ply = line.plies.length;
  const same =
    before !== null && before.start === line.start && line.plies.every((move, index) => before.plies[index]?.uci === move.uci);
  return { line: same ? before : line, ply, trouble: null };
}

/** The explorer's address of a position. */
export function address({ start, play, collection }: Asked): string {
  return href('/explorer', { fen: start === INITIAL_FEN ? '' : start, play: play.join(','), collection });
}

export class Walk {
  line = $state.raw<Line>({ start: INITIAL_FEN, plies: [] });
  ply = $state(0);
  trouble = $state<string | null>(null);
  collection = $derived(router.query.get('collection') ?? '');
  fen = $derived(fenAt(this.line, this.ply));
  last = $derived(this.line.plies[this.ply - 1] ?? null);
  play = $derived(this.line.plies.slice(0, this.ply).map((move) => move.uci));

  /** Reads the address. */
  read(): void {
    const found = walked(router.query.get('fen'), router.query.get('play'), this.line);
    this.line = found.line;
    this.ply = found.ply;
    this.trouble = found.trouble;
  }

  /** The address after so many plies of the line. */
  at(ply: number): string {
    return this.to(this.line.plies.slice(0, ply).map((move) => move.uci));
  }

  to(play: readonly string[], collection = this.collection): string {
    return address({ start: this.line.start, play, collection });
  }

  move(uci: string): void {
    router.go(this.to([...this.play, uci]));
  }

  step(ply: number): void {
    router.go(this.at(Math.max(0, Math.min(ply, this.line.plies.length))), 'step');
  }
}
