// A review under way: handed in, waiting, counted, done. The server tells how far it is.

import { Failure, ask, failure, send } from '../api/client';
import { type Review, type WireReview, reviewOf } from './report';

export type State =
  | { at: 'empty' }
  | { at: 'sending' }
  | { at: 'queued'; before: number }
  | { at: 'working'; done: number; total: number }
  | { at: 'done'; review: Review }
  /** Lost is one that may go on where it is asked for again. */
  | { at: 'failed'; failure: Failure; lost: boolean };

/** How long the browser may try to reach a server again before we say that it is gone: longer than any waits for its first try. */
export const SILENCE = 8000;

export class Job {
  state = $state.raw<State>({ at: 'empty' });
  id = $state<string | null>(null);
  #events: EventSource | null = null;
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** Counted up by whatever makes earlier answers worthless. */
  #turn = 0;

  get busy(): boolean {
    return this.state.at === 'sending' || this.state.at === 'queued' || this.state.at === 'working';
  }

  /** Hands a game in; the id of the job, or nothing where it was refused. */
  async submit(pgn: string, nodes: number | null): Promise<string | null> {
    this.close();
    this.state = { at: 'sending' };
    const turn = this.#turn;
    try {
      const body = JSON.stringify(nodes === null ? { pgn } : { pgn, nodes });
      const { id } = await ask<{ id: string }>('/review', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      if (turn !== this.#turn) {
        // Cancelled on its way: the server took it meanwhile.
        await end(id);
        return null;
      }
      this.follow(id);
      return id;
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
      return null;
    }
  }

  /** Listens to a job, also to one that is done: the server says so at once. */
  follow(id: string): void {
    if (id === this.id && this.state.at !== 'empty' && this.state.at !== 'failed') return;
    this.close();
    this.id = id;
    this.state = { at: 'queued', before: 0 };
    const events = new EventSource(`/review/${encodeURIComponent(id)}/events`);
    this.#events = events;
    const heard = () => this.#heard();
    events.addEventListener('open', heard);
    const on = <T>(name: string, take: (data: T) => void) =>
      events.addEventListener(name, (event) => {
        heard();
        try {
          take(JSON.parse((event as MessageEvent<string>).data) as T);
        } catch (error) {
          this.#fail(error);
        }
      });
    on<{ position: number }>('queued', ({ position }) => (this.state = { at: 'queued', before: position }));
    on<{ done: number; total: number }>('progress', ({ done, total }) => (this.state = { at: 'working', done, total }));
    on<{ review: WireReview }>('done', ({ review }) => {
      this.state = { at: 'done', review: reviewOf(review) };
      this.#events?.close();
    });
    on<{ problem: unknown }>('failed', ({ problem }) => this.#fail(failure(problem, 500)));
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) {
        this.#fail(new Failure('This review is not there any more.', 'The server keeps a review for a while; hand the game in again.'));
        return;
      }
      // The browser tries again by itself while the connection is only interrupted, and says so each time.
      this.#silence ??= setTimeout(() => {
        this.#fail(new Failure('The server does not answer any more.', 'Start it again with: tabiya serve'), true);
      }, SILENCE);
    };
  }

  /** Ends it on the server, too. */
  async cancel(): Promise<void> {
    const { id } = this;
    this.close();
    if (id) await end(id);
  }

  /** Asks for a lost one again. */
  again(): void {
    if (this.id) this.follow(this.id);
  }

  /** Stops listening and forgets. */
  close(): void {
    this.#turn++;
    this.#heard();
    this.#events?.close();
    this.#events = null;
    this.id = null;
    this.state = { at: 'empty' };
  }

  /** The server is there. */
  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  #fail(error: unknown, lost = false): void {
    this.#heard();
    this.#events?.close();
    this.state = { at: 'failed', lost, failure: error instanceof Failure ? error : new Failure('The review could not be read.', String(error)) };
  }
}

async function end(id: string): Promise<void> {
  await send(`/review/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch(() => {}); // It may have ended meanwhile.
}
