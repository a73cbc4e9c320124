// Games that were dropped on the page. They stay while other pages are open, and until others take their place.

import { Failure } from '../api/client';
import { router } from '../router.svelte';
import { type Db, analyse } from './db';

class Given {
  /** What is looked at; null for what the server was given. */
  dropped = $state.raw<{ db: Db; names: string } | null>(null);
  /** What is being analysed. */
  busy = $state('');
  failure = $state.raw<Failure | null>(null);
  #last: { text: string; names: string } | null = null;

  async take(text: string, names: string): Promise<void> {
    const asked = { text, names };
    this.#last = asked;
    this.busy = names;
    this.failure = null;
    try {
      const db = await analyse(text);
      if (this.#last !== asked) return;
      this.dropped = { db, names };
      this.#first();
    } catch (error) {
      if (this.#last !== asked) return;
      this.failure = error instanceof Failure ? error : new Failure('The files could not be analysed.', String(error));
    }
    this.busy = '';
  }

  again(): void {
    if (this.#last) void this.take(this.#last.text, this.#last.names);
  }

  /** Back to what the server was given. */
  forget(): void {
    this.#last = null;
    this.busy = '';
    this.failure = null;
    this.dropped = null;
    this.#first();
  }

  /** To the first of other games; nobody is fetched back from another page for it. */
  #first(): void {
    if (router.path === '/games') router.go('/games');
  }
}

export const given = new Given();
