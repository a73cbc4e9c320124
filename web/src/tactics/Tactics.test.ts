import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serve } from '../../tests/answers';
import { here } from '../here.svelte';
import { press } from '../keys.svelte';
import { router } from '../router.svelte';
import Tactics from './Tactics.svelte';

const rooks = { id: '1', fen: '6k1/8/8/8/8/8/RR6/6K1 w - - 0 1', moves: ['a2a7', 'g8f8', 'b2b8'], tags: ['mateIn2'], source: 'hand.pgn' };
const black = { id: '2', fen: '6k1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 1', moves: ['a2a1'], tags: ['backRankMate'], source: 'hand.pgn' };

beforeEach(() => {
  serve({
    '/tactics/themes': { motifs: [{ name: 'mateIn2', tactics: 1 }], sources: [] },
    '/tactics?limit=20': { tactics: [rooks, black], next: null },
    '/tactics?limit=20&motif=fork': { tactics: [], next: null },
  });
  router.go('/tactics');
});

afterEach(() => {
  cleanup();
  router.go('/elsewhere');
  vi.unstubAllGlobals();
});

it('takes the moves, answers, and goes on', async () => {
  render(Tactics);
  expect(await screen.findByRole('heading', { name: 'White to move' })).toBeTruthy();
  here.play('a2a7');
  expect(await screen.findByText('Good; and now?')).toBeTruthy();
  await screen.findByText('Mate in 2.');
  here.play('b2b8');
  expect(await screen.findByText('Right.')).toBeTruthy();
  expect(screen.getByText('mate in 2 · hand.pgn')).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Next' }));
  expect(await screen.findByRole('heading', { name: 'Black to move' })).toBeTruthy();
  expect(screen.getByText('1 solved')).toBeTruthy();
});

it('sends a wrong move back, and helps after two', async () => {
  render(Tactics);
  await screen.findByRole('heading', { name: 'White to move' });
  expect(await screen.findByRole('option', { name: 'mate in 2 (1)' })).toBeTruthy();
  here.play('a2a3');
  expect(await screen.findByText('Not this. Try again.')).toBeTruthy();
  here.play('a2a4');
  expect(await screen.findByText('Look at the piece on a2.')).toBeTruthy();
});

it('says when nothing is left of a kind, and what to do with an empty bank', async () => {
  router.go('/tactics?motif=fork');
  render(Tactics);
  expect(await screen.findByText('No puzzles of this kind.')).toBeTruthy();
  cleanup();
  serve({ '/tactics?limit=20': { tactics: [], next: null } });
  router.go('/tactics');
  render(Tactics);
  expect(await screen.findByText('The bank of tactics is empty.')).toBeTruthy();
  expect(screen.getByText(/^tabiya import/)).toBeTruthy();
});

/** Batches that come when the test says so: what is asked, and how to answer it. */
function slowly() {
  const asked: { url: string; give: (tactics: unknown[], next: string | null) => void; fail: () => void }[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    const url = new URL(request.url);
    if (url.pathname === '/tactics/themes') return Promise.resolve(Response.json({ motifs: [{ name: 'fork', tactics: 1 }], sources: [] }));
    return new Promise((done, refuse) =>
      asked.push({ url: url.search, give: (tactics, next) => done(Response.json({ tactics, next })), fail: () => refuse(new TypeError('no')) }),
    );
  });
  return asked;
}

it('waits for the next batch instead of ending, and asks for it once', async () => {
  const asked = slowly();
  render(Tactics);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]!.give([rooks], 'b');
  await screen.findByRole('heading', { name: 'White to move' });
  const skip = screen.getByRole('button', { name: 'Skip' });
  await fireEvent.click(skip);
  await fireEvent.click(skip);
  expect(asked.map(({ url }) => url)).toEqual(['?limit=20', '?limit=20&after=b']);
  expect(screen.queryByText(/That was the last one/)).toBeNull();
  asked[1]!.give([black], null);
  expect(await screen.findByRole('heading', { name: 'Black to move' })).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Skip' }));
  expect(await screen.findByText(/That was the last one/)).toBeTruthy();
});

it('says why there is no next one, and asks again', async () => {
  const asked = slowly();
  render(Tactics);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]!.give([rooks], 'b');
  await screen.findByRole('heading', { name: 'White to move' });
  await fireEvent.click(screen.getByRole('button', { name: 'Skip' }));
  asked[1]!.fail();
  expect(await screen.findByText('The server cannot be reached.')).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'White to move' })).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  asked[2]!.give([black], null);
  expect(await screen.findByRole('heading', { name: 'Black to move' })).toBeTruthy();
  expect(screen.queryByText('The server cannot be reached.')).toBeNull();
});

it('leaves Enter to the control that has the focus', async () => {
  render(Tactics);
  await screen.findByRole('heading', { name: 'White to move' });
  await fireEvent.click(screen.getByRole('button', { name: 'Show the solution' }));
  expect(await screen.findByText('That is how it goes.')).toBeTruthy();
  const link = document.createElement('a');
  document.body.append(link);
  const entered = (target: EventTarget) => {
    const event = new KeyboardEvent('keydown', { key: 'Enter', cancelable: true });
    Object.defineProperty(event, 'target', { value: target });
    press(event);
    return event.defaultPrevented;
  };
  expect(entered(link)).toBe(false);
  expect(screen.getByRole('heading', { name: 'White to move' })).toBeTruthy();
  expect(entered(document.body)).toBe(true);
  expect(await screen.findByRole('heading', { name: 'Black to move' })).toBeTruthy();
  link.remove();
});

it('keeps the board while puzzles of another motif are fetched, and the filter when one begins again', async () => {
  const asked = slowly();
  render(Tactics);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]!.give([rooks], null);
  await screen.findByRole('option', { name: 'fork (1)' });
  await fireEvent.change(screen.getByRole('combobox', { name: 'Motif' }), { target: { value: 'fork' } });
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(screen.getByRole('heading', { name: 'White to move' })).toBeTruthy();
  asked[1]!.give([black], null);
  expect(await screen.findByRole('heading', { name: 'Black to move' })).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Skip' }));
  await fireEvent.click(await screen.findByRole('button', { name: 'Begin again' }));
  expect(asked[2]?.url).toBe('?limit=20&motif=fork');
  expect(router.search).toBe('?motif=fork');
});

it('speaks the reply, once', async () => {
  render(Tactics);
  await screen.findByRole('heading', { name: 'White to move' });
  here.play('a2a7');
  await vi.waitFor(() => expect(here.said).toBe('Black king to f8. Mate in 2.'));
  here.play('b2b8');
  await vi.waitFor(() => expect(here.said).toBe('Right.'));
});

it('says which puzzle it is, also after one that was skipped', async () => {
  serve({ '/tactics?limit=20': { tactics: [rooks, { ...rooks, id: '3' }], next: null } });
  render(Tactics);
  await vi.waitFor(() => expect(here.said).toBe('Puzzle 1, White to move. Mate in 2.'));
  await fireEvent.click(screen.getByRole('button', { name: 'Skip' }));
  await vi.waitFor(() => expect(here.said).toBe('Puzzle 2, White to move. Mate in 2.'));
});

it('asks again for what can be chosen', async () => {
  serve({ '/tactics?limit=20': { tactics: [rooks], next: null } });
  render(Tactics);
  const again = await screen.findByRole('button', { name: 'Try again' });
  serve({ '/tactics/themes': { motifs: [{ name: 'fork', tactics: 3 }], sources: [] } });
  await fireEvent.click(again);
  expect(await screen.findByRole('option', { name: 'fork (3)' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});
