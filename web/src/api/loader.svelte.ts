// Something that is being asked for. What was there stays until the new arrives; a skeleton is due only after 150 ms.

import { Failure } from './client';

export const PATIENCE = 150;

export class Loader<A, T> {
  /** The last answer, and what it answers. */
  got = $state.raw<{ asked: A; value: T } | null>(null);
  failure = $state.raw<Failure | null>(null);
  slow = $state(false);
  // "Try again" asks outside an effect and cannot forget, so the last question alone may change anything.
  #turn = 0;

  constructor(
    private readonly get: (asked: A) => Promise<T>,
    private readonly peek: (asked: A) => T | undefined = () => undefined,
  ) {}

  /** Asks; the returned function forgets about it. The body of an `$effect`. */
  ask(asked: A): () => void {
    const turn = ++this.#turn;
    const ready = this.peek(asked);
    if (ready !== undefined) {
      this.#settle({ asked, value: ready }, null);
      return () => {};
    }
    let current = true;
    const awaited = () => current && turn === this.#turn;
    // An overtaken question must not set `slow` either: its answer, which would unset it, is not taken.
    const timer = setTimeout(() => awaited() && (this.slow = true), PATIENCE);
    this.get(asked).then(
      (value) => awaited() && this.#settle({ asked, value }, null),
      (error: unknown) => awaited() && this.#settle(this.got, asFailure(error)),
    ).finally(() => clearTimeout(timer));
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }

  #settle(got: { asked: A; value: T } | null, failure: Failure | null): void {
    this.got = got;
    this.failure = failure;
    this.slow = false;
  }
}

function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('Something went wrong in the page.', String(error));
}
