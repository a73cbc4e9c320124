// A puzzle being solved: whose move, what was tried, what is left.

import { type Ply, lineOfUci, position } from '../chess/line';
import type { Tactic } from './bank';

export type Answer = 'right' | 'solved' | 'wrong';

export class Puzzle {
  readonly solver: 'white' | 'black';
  readonly plies: Ply[];
  /** Moves of the solution that stand on the board. */
  played = 0;
  misses = 0;
  /** Whether the solution had to be shown. */
  helped = false;

  constructor(readonly tactic: Tactic) {
    this.plies = lineOfUci(tactic.moves, tactic.fen).plies;
    this.solver = position(tactic.fen).turn;
  }

  get solved(): boolean {
    return this.played >= this.plies.length;
  }

  get fen(): string {
    return this.plies[this.played - 1]?.fen ?? this.tactic.fen;
  }

  get last(): string | null {
    return this.plies[this.played - 1]?.uci ?? null;
  }

  /** The move that is looked for. */
  get wanted(): Ply | undefined {
    return this.plies[this.played];
  }

  /** Tries a move. Any mate will do where the solution mates: puzzles with two are the bank's fault, not the solver's. */
  try(uci: string): Answer {
    if (this.solved) return 'solved';
    if (uci !== this.wanted?.uci && !this.#mates(uci)) {
      this.misses++;
      return 'wrong';
    }
    if (uci !== this.wanted?.uci) {
      this.played = this.plies.length;
      return 'solved';
    }
    this.played++;
    return this.solved ? 'solved' : 'right';
  }

  #mates(uci: string): boolean {
    if (!this.plies.at(-1)?.san.endsWith('#')) return false;
    return lineOfUci([uci], this.fen).plies[0]?.san.endsWith('#') ?? false;
  }

  /** The other side's move, behind a right one. */
  reply(): void {
    if (!this.solved) this.played++;
  }

  /** A hint is due after two misses: where from first, the whole move after another. */
  get hint(): 'none' | 'piece' | 'move' {
    if (this.misses < 2) return 'none';
    return this.misses < 4 ? 'piece' : 'move';
  }
}
