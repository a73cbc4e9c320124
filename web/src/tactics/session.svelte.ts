// Puzzles one after another: loads them in batches, plays the replies, says how it went.

import { Failure } from '../api/client';
import type { Ply } from '../chess/line';
import { type Asked, type Tactic, batch } from './bank';
import { Puzzle } from './puzzle';

const REPLY = 350;
const STEP = 600;
/** With fewer than this in hand the next batch is fetched. */
const FEW = 5;

export type Mood = 'looking' | 'right' | 'wrong' | 'solved' | 'shown';

export class Session {
  tactic = $state.raw<Tactic | null>(null);
  fen = $state('');
  last = $state<string | null>(null);
  mood = $state<Mood>('looking');
  hint = $state<'none' | 'piece' | 'move'>('none');
  wanted = $state.raw<Ply | null>(null);
  /** The move that was played against the solver, or shown. */
  answered = $state.raw<Ply | null>(null);
  /** Counted up when a piece has to go back. */
  attempt = $state(0);
  /** Which puzzle this is, from 1. */
  number = $state(0);
  solved = $state(0);
  /** All there are were seen. */
  over = $state(false);
  /** There was not one. */
  none = $state(false);
  /** Why there is no next one, where one was asked for. */
  failure = $state.raw<Failure | null>(null);
  solver = $state<'white' | 'black'>('white');

  #puzzle: Puzzle | null = null;
  #waiting: Tactic[] = [];
  #after: string | null = null;
  #more = true;
  /** One of this kind was on the board. */
  #seen = false;
  #asked: Asked = { motif: '', source: '' };
  #round = 0;
  /** The round whose batch is on its way: of one there is never a second. */
  #loading = 0;
  /** The next puzzle was asked for before it was there. */
  #due = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Puzzles of another kind; the one on the board stays until the first of them is there. */
  begin(asked: Asked): void {
    this.#asked = asked;
    this.#round++;
    this.#waiting = [];
    this.#after = null;
    this.#more = true;
    this.#seen = false;
    this.over = false;
    this.none = false;
    this.next();
  }

  next(): void {
    this.failure = null;
    const puzzle = this.#playable();
    this.#due = puzzle === null && this.#more;
    if (puzzle) this.#put(puzzle);
    else if (!this.#more) this.#end();
    if (this.#waiting.length < FEW) void this.#load();
  }

  play(uci: string): void {
    const puzzle = this.#puzzle;
    if (!puzzle || this.mood === 'solved' || this.mood === 'shown' || this.mood === 'right') return;
    this.answered = null;
    const answer = puzzle.try(uci);
    if (answer === 'wrong') {
      this.mood = 'wrong';
      this.attempt++;
    } else if (answer === 'solved') {
      this.mood = 'solved';
      this.solved++;
    } else {
      this.mood = 'right';
      this.#timer = setTimeout(() => {
        this.answered = puzzle.reply();
        this.mood = puzzle.solved ? 'solved' : 'looking';
        if (puzzle.solved) this.solved++;
        this.#show();
      }, REPLY);
    }
    this.#show();
  }

  /** Plays the solution out. */
  reveal(): void {
    const puzzle = this.#puzzle;
    if (!puzzle || puzzle.solved || this.mood === 'shown') return;
    clearTimeout(this.#timer);
    this.mood = 'shown';
    const step = () => {
      this.answered = puzzle.reply();
      this.#show();
      if (!puzzle.solved) this.#timer = setTimeout(step, STEP);
    };
    step();
  }

  /** The next that can be played: one that cannot is nobody's riddle. */
  #playable(): Puzzle | null {
    for (let tactic = this.#waiting.shift(); tactic; tactic = this.#waiting.shift()) {
      try {
        return new Puzzle(tactic);
      } catch {
        // The one behind it, then.
      }
    }
    return null;
  }

  #put(puzzle: Puzzle): void {
    // Only now: the one before may have been waiting for its reply.
    clearTimeout(this.#timer);
    this.#puzzle = puzzle;
    this.#seen = true;
    this.number++;
    this.tactic = puzzle.tactic;
    this.solver = puzzle.solver;
    this.mood = 'looking';
    this.answered = null;
    this.none = false;
    this.#show();
  }

  #end(): void {
    // The puzzle on the board may be of the kind before.
    this.none = !this.#seen;
    this.over = this.#seen;
    if (this.none) {
      clearTimeout(this.#timer);
      this.#puzzle = null;
      this.tactic = null;
    }
  }

  #show(): void {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    this.fen = puzzle.fen;
    this.last = puzzle.last;
    this.hint = puzzle.hint;
    this.wanted = puzzle.wanted ?? null;
  }

  async #load(): Promise<void> {
    const round = this.#round;
    if (!this.#more || this.#loading === round) return;
    this.#loading = round;
    try {
      const { tactics, next } = await batch(this.#asked, this.#after);
      if (round !== this.#round) return;
      this.#loading = 0;
      this.#waiting.push(...tactics);
      this.#after = next ?? null;
      this.#more = this.#after !== null;
    } catch (error) {
      if (round !== this.#round) return;
      this.#loading = 0;
      // What was fetched ahead is asked for again when it is needed.
      if (this.#due) this.failure = error instanceof Failure ? error : new Failure('The tactics could not be read.', String(error));
      return;
    }
    if (this.#due) this.next();
  }
}
