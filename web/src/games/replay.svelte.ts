// Rapid replay: all games one after another, each faster than the one before, over and over.

export const SLOWEST = 600;
export const FASTEST = 100;
export const FASTER = 40;
export const START = 800;

/** How long a move of the n-th game stands, from 0. */
export function pace(game: number): number {
  return Math.max(FASTEST, SLOWEST - FASTER * game);
}

export class Replay {
  game = $state(0);
  ply = $state(0);
  /** Somebody stopped it. */
  paused = $state(false);
  /** It cannot be seen: another tab, or scrolled away. */
  hidden = $state(false);
  running = $derived(!this.paused && !this.hidden);
  delay = $derived(pace(this.game));
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `plies` are the lengths of the games. */
  constructor(private readonly plies: readonly number[]) {}

  /** Begins after a moment; the returned function ends it. */
  start(): () => void {
    this.#timer = setTimeout(() => this.#tick(), START);
    return () => clearTimeout(this.#timer);
  }

  #tick(): void {
    if (this.running) this.advance();
    this.#timer = setTimeout(() => this.#tick(), this.delay);
  }

  /** One move on; behind the last move the next game, behind the last game the first. */
  advance(): void {
    if (this.ply < (this.plies[this.game] ?? 0)) {
      this.ply++;
      return;
    }
    this.game = this.plies.length === 0 ? 0 : (this.game + 1) % this.plies.length;
    this.ply = 0;
  }
}
