import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serve } from '../../tests/answers';
import fixture from '../../tests/fixtures/review.json';
import { Job, SILENCE } from './job.svelte';

/** Stands in for the browser's: events are sent by hand. */
class Events extends EventTarget {
  static readonly CLOSED = 2;
  static last: Events;
  readyState = 1;
  onerror: (() => void) | null = null;
  constructor(readonly url: string) {
    super();
    Events.last = this;
  }
  close() {
    this.readyState = 2;
  }
  send(name: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

beforeEach(() => vi.stubGlobal('EventSource', Events));
afterEach(() => vi.unstubAllGlobals());

describe('a job', () => {
  it('goes through its states as the server tells them', async () => {
    const fetched = serve({ '/review': { id: 'r 1', status: 202 } });
    const job = new Job();
    expect(await job.submit('1. e4 *', 1000)).toBe('r 1');
    expect(JSON.parse((fetched.mock.calls[0]?.[1] as RequestInit).body as string)).toEqual({ pgn: '1. e4 *', nodes: 1000 });
    expect(Events.last.url).toBe('/review/r%201/events');
    Events.last.send('queued', { position: 3 });
    expect(job.state).toEqual({ at: 'queued', before: 3 });
    Events.last.send('progress', { done: 4, total: 47 });
    expect(job.state).toEqual({ at: 'working', done: 4, total: 47 });
    expect(job.busy).toBe(true);
    Events.last.send('done', { review: fixture });
    expect(job.state).toMatchObject({ at: 'done', review: { result: '1-0' } });
    expect(Events.last.readyState).toBe(2);
  });

  it('says what was refused, and what failed', async () => {
    serve({ '/review': { status: 429, detail: 'too many reviews', hint: 'wait for one to end', code: 'busy' } });
    const job = new Job();
    expect(await job.submit('x', null)).toBeNull();
    expect(job.state).toMatchObject({ at: 'failed', failure: { message: 'Too many reviews.', hint: 'Wait for one to end.' } });
    job.follow('r2');
    Events.last.send('failed', { problem: { status: 422, detail: 'move 3 is illegal', hint: 'look at it' } });
    expect(job.state).toMatchObject({ at: 'failed', failure: { message: 'Move 3 is illegal.' } });
  });

  it('ends on the server when it is cancelled', async () => {
    const fetched = serve({ '/review/r3': {} });
    const job = new Job();
    job.follow('r3');
    await job.cancel();
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({ method: 'DELETE' });
    expect(job.state).toEqual({ at: 'empty' });
    expect(Events.last.readyState).toBe(2);
  });

  it('ends what is cancelled on its way to the server', async () => {
    let give = () => {};
    const fetched = vi.fn((_: string, init: RequestInit) =>
      init.method === 'POST' ? new Promise((done) => (give = () => done(Response.json({ id: 'r4' })))) : Promise.resolve(new Response('{}')),
    );
    vi.stubGlobal('fetch', fetched);
    const job = new Job();
    const submitted = job.submit('1. e4 *', null);
    await job.cancel();
    give();
    expect(await submitted).toBeNull();
    expect(job.state).toEqual({ at: 'empty' });
    expect(fetched.mock.calls.map(([url, init]) => [url, init.method])).toEqual([
      ['/review', 'POST'],
      ['/review/r4', 'DELETE'],
    ]);
  });

  it('says when the server is gone, and goes on where it left off', () => {
    vi.useFakeTimers();
    const job = new Job();
    job.follow('r5');
    Events.last.send('progress', { done: 4, total: 47 });
    Events.last.onerror?.();
    vi.advanceTimersByTime(SILENCE - 1);
    Events.last.send('progress', { done: 5, total: 47 });
    vi.advanceTimersByTime(SILENCE);
    expect(job.state).toMatchObject({ at: 'working', done: 5 });
    Events.last.onerror?.();
    vi.advanceTimersByTime(SILENCE - 1);
    Events.last.onerror?.();
    vi.advanceTimersByTime(1);
    expect(job.state).toMatchObject({ at: 'failed', lost: true, failure: { message: 'The server does not answer any more.' } });
    const lost = Events.last;
    job.again();
    expect(Events.last).not.toBe(lost);
    expect(Events.last.url).toBe('/review/r5/events');
    expect(job.state.at).toBe('queued');
    job.close();
    vi.useRealTimers();
  });

  it('gives up on a job that is not there any more, not on an interrupted connection', () => {
    const job = new Job();
    job.follow('gone');
    Events.last.onerror?.();
    expect(job.state.at).toBe('queued');
    Events.last.readyState = 2;
    Events.last.onerror?.();
    expect(job.state).toMatchObject({ at: 'failed', failure: { message: 'This review is not there any more.' } });
  });
});
