import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serve } from '../../tests/answers';
import fixture from '../../tests/fixtures/review.json';
import { here } from '../here.svelte';
import { press } from '../keys.svelte';
import { router } from '../router.svelte';
import { draft, job } from './current.svelte';
import { SILENCE } from './job.svelte';
import Review from './Review.svelte';

class Events extends EventTarget {
  static readonly CLOSED = 2;
  static last: Events;
  readyState = 1;
  onerror: (() => void) | null = null;
  constructor() {
    super();
    Events.last = this;
  }
  close() {}
  send(name: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }
}

beforeEach(() => {
  vi.stubGlobal('EventSource', Events);
  serve({ '/review': { id: 'r1', status: 202 } });
  router.go('/review');
});

afterEach(() => {
  cleanup();
  job.close();
  draft.text = '';
  router.go('/elsewhere');
  vi.unstubAllGlobals();
});

async function reviewed() {
  render(Review);
  await fireEvent.input(screen.getByLabelText(/Paste a game/), { target: { value: '1. e4 e5 2. Nf3 *' } });
  await fireEvent.click(screen.getByRole('button', { name: 'Review' }));
  await screen.findByRole('button', { name: 'Cancel' });
  await waitFor(() => expect(router.search).toBe('?id=r1'));
}

it('counts the moves of a pasted game and shows how far it is', async () => {
  await reviewed();
  Events.last.send('queued', { position: 1 });
  expect(await screen.findByText('Waiting; 1 review before this one')).toBeTruthy();
  Events.last.send('progress', { done: 12, total: 48 });
  expect(await screen.findByText('12 of 48 positions')).toBeTruthy();
});

it('shows accuracy, classes and a sentence for each mistake', async () => {
  await reviewed();
  Events.last.send('done', { review: fixture });
  expect(await screen.findByRole('heading', { name: 'Anderssen – Dufresne' })).toBeTruthy();
  expect(screen.getByText('93.6')).toBeTruthy();
  expect(screen.getByText('87.2')).toBeTruthy();
  const seen: string[] = [];
  for (let n = 0; n < 6; n++) {
    press(new KeyboardEvent('keydown', { key: 'm', cancelable: true }));
    await Promise.resolve();
    seen.push(router.query.get('ply') ?? '');
  }
  expect(seen).toEqual(['22', '28', '30', '33', '38', '40']);
  press(new KeyboardEvent('keydown', { key: 'ArrowLeft', cancelable: true }));
  press(new KeyboardEvent('keydown', { key: 'ArrowLeft', cancelable: true }));
  expect(await screen.findByText(/It wins a knight but opens the d-file/)).toBeTruthy();
  expect(screen.getByRole('button', { name: '19…Bd4' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Annotated PGN' }).getAttribute('href')).toBe('/review/r1/pgn');
});

it('keeps the game when a review fails', async () => {
  await reviewed();
  Events.last.send('failed', { problem: { status: 422, detail: 'move 2 is illegal', hint: 'correct it' } });
  expect(await screen.findByText('Move 2 is illegal.')).toBeTruthy();
  expect((screen.getByLabelText(/Paste a game/) as HTMLTextAreaElement).value).toBe('1. e4 e5 2. Nf3 *');
});

it('does not fetch back who went to another page while the game was sent', async () => {
  let give = () => {};
  vi.stubGlobal('fetch', () => new Promise((done) => (give = () => done(Response.json({ id: 'r1' })))));
  render(Review);
  await fireEvent.input(screen.getByLabelText(/Paste a game/), { target: { value: '1. e4 e5 2. Nf3 *' } });
  await fireEvent.click(screen.getByRole('button', { name: 'Review' }));
  cleanup();
  router.go('/explorer');
  give();
  await waitFor(() => expect(job.id).toBe('r1'));
  await new Promise((done) => setTimeout(done));
  expect(router.path).toBe('/explorer');
  router.go('/review');
  render(Review);
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy();
});

it('says when the server is gone in the middle of a review', async () => {
  await reviewed();
  vi.useFakeTimers();
  Events.last.onerror?.();
  await vi.advanceTimersByTimeAsync(SILENCE);
  vi.useRealTimers();
  expect(screen.getByText('The server does not answer any more.')).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy();
});

it('says what is too large before it is sent', async () => {
  render(Review);
  const box = screen.getByLabelText(/Paste a game/);
  await fireEvent.input(box, { target: { value: `1. e4 {${'ä'.repeat(33_000)}} *` } });
  expect(screen.getByText(/^This is 65 kB long, and a review takes 64 kB/)).toBeTruthy();
  expect((screen.getByRole('button', { name: 'Review' }) as HTMLButtonElement).disabled).toBe(true);
  await fireEvent.input(box, { target: { value: '1. e4 *' } });
  expect(screen.getByText('1 half-move')).toBeTruthy();
  expect((screen.getByRole('button', { name: 'Review' }) as HTMLButtonElement).disabled).toBe(false);
});

it('leaves text that is dragged to the browser', async () => {
  render(Review);
  for (const type of ['dragenter', 'dragover', 'drop']) {
    const dragged = new Event(type, { cancelable: true, bubbles: true });
    Object.assign(dragged, { dataTransfer: { files: [], types: ['text/plain'] } });
    document.body.dispatchEvent(dragged);
    expect(dragged.defaultPrevented, type).toBe(false);
  }
  expect(document.querySelector('.over')).toBeNull();
});

it('takes a file that is dropped beside the form, too', async () => {
  render(Review);
  const file = Object.assign(new File(['1. d4 *'], 'mine.pgn'), { arrayBuffer: async () => new TextEncoder().encode('1. d4 *').buffer });
  const dropped = new Event('drop', { cancelable: true, bubbles: true });
  Object.assign(dropped, { dataTransfer: { files: [file] } });
  expect(document.body.dispatchEvent(dropped)).toBe(false);
  await waitFor(() => expect((screen.getByLabelText(/Paste a game/) as HTMLTextAreaElement).value).toBe('1. d4 *'));
});

it('shows no evaluation where none is known', async () => {
  await reviewed();
  const [{ previousEvaluation: _, ...first }, second, ...rest] = fixture.moves as unknown as Record<string, unknown>[] as [Record<string, unknown>, ...Record<string, unknown>[]];
  Events.last.send('done', { review: { ...fixture, moves: [first, { ...second, evaluation: null }, ...rest] } });
  expect(await screen.findByRole('img', { name: 'Not evaluated' })).toBeTruthy();
  const points = document.querySelectorAll('.plot .dot');
  expect(points).toHaveLength(46);
  router.go('/review?id=r1&ply=38');
  expect(await screen.findByRole('img', { name: /^Evaluation \+3\.93/ })).toBeTruthy();
  await fireEvent.pointerEnter(screen.getByRole('button', { name: '19…Bd4' }));
  expect(screen.getByRole('img', { name: 'Not evaluated' })).toBeTruthy();
});

it('leaves the points of the graph to whoever follows links', async () => {
  await reviewed();
  Events.last.send('done', { review: fixture });
  const [point] = await screen.findAllByRole('link', { name: /, Blunder$/ });
  const followed = vi.fn((event: Event) => event.preventDefault());
  document.addEventListener('click', followed, { once: true });
  const before = router.search;
  await fireEvent.click(point!);
  expect([followed.mock.calls.length, router.search]).toEqual([1, before]);
});

it('says a move once, with its class and what was wrong', async () => {
  await reviewed();
  Events.last.send('done', { review: fixture });
  router.go('/review?id=r1&ply=38');
  await waitFor(() => expect(here.said).toMatch(/^Black queen takes on f3, Blunder\. \S.*\.$/));
  expect(document.querySelector('[aria-live]')).toBeNull();
});

async function gone(delta: 1 | -1, search: string) {
  history.go(delta);
  await waitFor(() => expect(location.search).toBe(search));
  // What the address asks for is begun by the page.
  await new Promise((done) => setTimeout(done));
}

it('takes the place of the form it was handed in by', async () => {
  const before = history.length;
  await reviewed();
  expect(history.length).toBe(before);
});

it('shows what its address says, whatever was reviewed before', async () => {
  const stop = router.start();
  await reviewed();
  Events.last.send('done', { review: fixture });
  await fireEvent.click(await screen.findByRole('button', { name: 'Another game' }));
  expect(await screen.findByLabelText(/Paste a game/)).toBeTruthy();
  await gone(-1, '?id=r1');
  Events.last.send('done', { review: fixture });
  expect(await screen.findByRole('heading', { name: 'Anderssen – Dufresne' })).toBeTruthy();
  await gone(1, '');
  expect(await screen.findByLabelText(/Paste a game/)).toBeTruthy();
  expect(screen.queryByRole('heading', { name: 'Anderssen – Dufresne' })).toBeNull();
  stop();
});

it('says of a review that was called off where it was, and nowhere else', async () => {
  const stop = router.start();
  await reviewed();
  await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await gone(-1, '?id=r1');
  Events.last.readyState = Events.CLOSED;
  Events.last.onerror?.();
  expect(await screen.findByText('This review is not there any more.')).toBeTruthy();
  await gone(1, '');
  await waitFor(() => expect(screen.queryByText('This review is not there any more.')).toBeNull());
  stop();
});

it('begins anew beside a review that failed', async () => {
  await reviewed();
  Events.last.send('failed', { problem: { status: 422, detail: 'move 2 is illegal', hint: 'correct it' } });
  await screen.findByText('Move 2 is illegal.');
  serve({ '/review': { id: 'r2', status: 202 } });
  await fireEvent.click(screen.getByRole('button', { name: 'Review' }));
  expect(await screen.findByRole('button', { name: 'Cancel' })).toBeTruthy();
  await waitFor(() => expect(router.search).toBe('?id=r2'));
});

it('leads whoever comes by a link to the review that goes on', async () => {
  await reviewed();
  cleanup();
  router.go('/explorer');
  router.go('/review');
  render(Review);
  await waitFor(() => expect(router.search).toBe('?id=r1'));
  expect(await screen.findByRole('button', { name: 'Cancel' })).toBeTruthy();
});
