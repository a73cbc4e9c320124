// A puzzle being solved: whose move, what was tried, what is left.

import { type Ply, lineOfUci, position } from '../chess/line';
import type { Tactic } from './bank';

export type Answer = 'right' | 'solved' | 'wrong';

export class Puzzle {
  readonly solver: 'white' | 'black';
  readonly plies: Ply[];
  /** Moves of the solution that stand on the board. */
  played = 0;
  /** Wrong moves where the puzzle stands now: help with one move is none with the next. */
  misses = 0;
  /** Another mate than the solution's. */
  #mate: Ply | null = null;

  constructor(readonly tactic: Tactic) {
    this.plies = lineOfUci(tactic.moves, tactic.fen).plies;
    this.solver = position(tactic.fen).turn;
  }

  get solved(): boolean {
    return this.played >= this.plies.length;
  }

  get fen(): string {
    return this.#stands?.fen ?? this.tactic.fen;
  }

  get last(): string | null {
    return this.#stands?.uci ?? null;
  }

  get #stands(): Ply | undefined {
    return this.#mate ?? this.plies[this.played - 1];
  }

  /** The move that is looked for. */
  get wanted(): Ply | undefined {
    return this.plies[this.played];
  }

  /** Tries a move. Any mate will do where the solution mates: puzzles with two are the bank's fault, not the solver's. */
  try(uci: string): Answer {
    if (this.solved) return 'solved';
    if (uci === this.wanted?.uci) {
      this.#advance();
      return this.solved ? 'solved' : 'right';
    }
    this.#mate = this.#mates(uci);
    if (this.#mate) {
      this.played = this.plies.length;
      return 'solved';
    }
    this.misses++;
    return 'wrong';
  }

  #mates(uci: string): Ply | null {
    if (!this.plies.at(-1)?.san.endsWith('#')) return null;
    const ply = lineOfUci([uci], this.fen).plies[0];
    return ply?.san.endsWith('#') ? ply : null;
  }

  /** The next move of the solution: the other side's behind a right one. */
  reply(): Ply | null {
    const ply = this.wanted ?? null;
    if (ply) this.#advance();
    return ply;
  }

  #advance(): void {
    this.played++;
    this.misses = 0;
  }

  /** A hint is due after two misses: where from first, the whole move after another. */
  get hint(): 'none' | 'piece' | 'move' {
    if (this.misses < 2) return 'none';
    return this.misses < 4 ? 'piece' : 'move';
  }
}
