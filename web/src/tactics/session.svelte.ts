// Puzzles one after another: loads them in batches, plays the replies, says how it went.

import { Failure } from '../api/client';
import { type Asked, type Tactic, batch } from './bank';
import { Puzzle } from './puzzle';

const REPLY = 350;

export type Mood = 'looking' | 'right' | 'wrong' | 'solved' | 'shown';

export class Session {
  tactic = $state.raw<Tactic | null>(null);
  fen = $state('');
  last = $state<string | null>(null);
  mood = $state<Mood>('looking');
  hint = $state<'none' | 'piece' | 'move'>('none');
  wanted = $state<{ uci: string; san: string; white: boolean; number: number } | null>(null);
  /** Counted up when a piece has to go back. */
  attempt = $state(0);
  solved = $state(0);
  /** All there are were seen. */
  over = $state(false);
  loaded = $state(false);
  failure = $state.raw<Failure | null>(null);
  solver = $state<'white' | 'black'>('white');

  #puzzle: Puzzle | null = null;
  #waiting: Tactic[] = [];
  #after: string | null = null;
  #asked: Asked = { motif: '', source: '' };
  #round = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  async begin(asked: Asked): Promise<void> {
    this.#asked = asked;
    this.#waiting = [];
    this.#after = null;
    this.over = false;
    this.loaded = false;
    this.tactic = null;
    const round = ++this.#round;
    await this.#load(round);
    if (round === this.#round && !this.failure) this.next();
  }

  next(): void {
    clearTimeout(this.#timer);
    const tactic = this.#waiting.shift();
    if (!tactic) {
      this.over = true;
      return;
    }
    try {
      this.#puzzle = new Puzzle(tactic);
    } catch {
      this.next(); // A puzzle that cannot be played is nobody's riddle.
      return;
    }
    this.tactic = tactic;
    this.solver = this.#puzzle.solver;
    this.mood = 'looking';
    this.#show();
    if (this.#waiting.length < 5 && this.#after !== null) void this.#load(this.#round);
  }

  play(uci: string): void {
    const puzzle = this.#puzzle;
    if (!puzzle || this.mood === 'solved' || this.mood === 'shown') return;
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
        puzzle.reply();
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
    if (!puzzle || puzzle.solved) return;
    clearTimeout(this.#timer);
    this.mood = 'shown';
    const step = () => {
      puzzle.reply();
      this.#show();
      if (!puzzle.solved) this.#timer = setTimeout(step, 600);
    };
    step();
  }

  #show(): void {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    this.fen = puzzle.fen;
    this.last = puzzle.last;
    this.hint = puzzle.hint;
    const { wanted } = puzzle;
    this.wanted = wanted ? { uci: wanted.uci, san: wanted.san, white: wanted.white, number: wanted.number } : null;
  }

  async #load(round: number): Promise<void> {
    try {
      const { tactics, next } = await batch(this.#asked, this.#after);
      if (round !== this.#round) return;
      this.failure = null;
      this.#waiting.push(...tactics);
      this.#after = next ?? null;
    } catch (error) {
      if (round !== this.#round) return;
      this.failure = error instanceof Failure ? error : new Failure('The tactics could not be read.', String(error));
    }
    this.loaded = true;
  }
}
