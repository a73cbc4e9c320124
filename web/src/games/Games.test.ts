import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serve } from '../../tests/answers';
import fixture from '../../tests/fixtures/db.json';
import { here } from '../here.svelte';
import { press } from '../keys.svelte';
import { router } from '../router.svelte';
import Games from './Games.svelte';
import { given } from './given.svelte';

beforeEach(() => {
  serve({ '/data/db.json': fixture, '/games/analyze': { ...fixture, games: [], novelties: [], branches: [] } });
  router.go('/games');
});

afterEach(() => {
  cleanup();
  given.forget();
  router.go('/elsewhere');
  vi.unstubAllGlobals();
});

async function drop(pgn: string, more: object = {}) {
  await screen.findByRole('listbox', { name: 'Games' });
  const input = document.querySelector('input[type=file]') as HTMLInputElement;
  const file = new File([pgn], 'mine.pgn');
  Object.defineProperties(file, Object.getOwnPropertyDescriptors({ arrayBuffer: async () => new TextEncoder().encode(pgn).buffer, ...more }));
  Object.defineProperty(input, 'files', { value: [file], configurable: true });
  await fireEvent.change(input);
}

// First, as the answer is kept for those behind it.
it('says nothing of games before it knows of any', async () => {
  let give = () => {};
  vi.stubGlobal('fetch', () => new Promise((done) => (give = () => done(Response.json(fixture)))));
  render(Games);
  expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Open PGN files' })).toBeNull();
  give();
  expect(await screen.findByRole('listbox', { name: 'Games' })).toBeTruthy();
});

it('selects a game by its line and marks what is common, forked and new', async () => {
  render(Games);
  await fireEvent.click(await screen.findByRole('option', { name: 'Bo vs Ada — 1985.01.02 — 1/2-1/2' }));
  expect(router.search).toBe('?game=2');
  const moves = document.querySelector('.moves ol') as HTMLElement;
  expect(within(moves).getByTitle('First time!').textContent).toContain('1');
  expect(within(moves).getAllByTitle('2 games on this path')).toHaveLength(3);
  await fireEvent.click(within(moves).getAllByRole('button', { name: '2 ways were played here' })[1]!);
  const fork = within(moves).getByText('2…Nc6').closest('li');
  expect(fork?.textContent?.replaceAll(/\s+/g, ' ').trim()).toBe('also 2…Nc6 in 1 game');
  expect(fork?.querySelector('a')?.getAttribute('href')).toBe('/games?game=1&ply=4');
});

it('steps to the ★ by keyboard', async () => {
  render(Games);
  await screen.findByRole('option', { name: /^Bo vs Ada/ });
  press(new KeyboardEvent('keydown', { key: 's', cancelable: true }));
  expect(router.search).toBe('?game=1&ply=4');
  press(new KeyboardEvent('keydown', { key: 'ArrowDown', cancelable: true }));
  expect(router.search).toBe('?game=2');
});

it('shows every novelty with its sentence, and common sequences with their counts', async () => {
  render(Games);
  const cards = (await screen.findByRole('heading', { name: 'Our novel moves' })).closest('section') as HTMLElement;
  expect(within(cards).getByText(/In game 1, Bo played 2…\u2060Nc6 — the first time either of them tried this after 2.Nf3/)).toBeTruthy();
  expect(within(cards).getAllByRole('listitem')).toHaveLength(3);
  expect(screen.getByRole('link', { name: '1.e4 e5 2.Nf3, 2 games' })).toBeTruthy();
});

it('shows a chosen novelty in the viewer, and opens it elsewhere where that is asked for', async () => {
  render(Games);
  const card = await screen.findByRole('link', { name: /^Open game 1 at 2…Nc6/ });
  const viewer = document.querySelector('.section') as HTMLElement;
  const bring = vi.fn();
  viewer.scrollIntoView = bring;
  document.addEventListener('click', (event) => event.preventDefault(), { once: true });
  await fireEvent.click(card, { ctrlKey: true });
  expect([router.search, bring.mock.calls.length]).toEqual(['', 0]);
  bring.mockImplementation(() => expect(router.search).toBe('?game=1&ply=4'));
  await fireEvent.click(card);
  expect(bring).toHaveBeenCalledOnce();
});

it('stays where it is at the ends of the list', async () => {
  router.go('/games?game=1&ply=4');
  render(Games);
  const first = await screen.findByRole('option', { selected: true });
  await fireEvent.keyDown(first, { key: 'ArrowUp' });
  expect(router.search).toBe('?game=1&ply=4');
});

it('calls the window after the game that is shown', async () => {
  router.go('/games?game=999');
  render(Games);
  await vi.waitFor(() => expect(here.about).toMatch(/^Game 1, /));
});

it('filters by words and by who won', async () => {
  render(Games);
  const list = await screen.findByRole('listbox', { name: 'Games' });
  await fireEvent.input(screen.getByRole('textbox', { name: 'Filter games' }), { target: { value: 'berlin' } });
  expect(within(list).getAllByRole('option')).toHaveLength(2);
  await fireEvent.click(screen.getByRole('button', { name: 'drawn 1' }));
  expect(within(list).getAllByRole('option')).toHaveLength(1);
});

it('narrows everything to one player, in the address too', async () => {
  const games = [...fixture.games.slice(0, 2), { ...fixture.games[2]!, black: 'Cy' }];
  serve({ '/data/db.json': fixture, '/games/analyze': { ...fixture, games } });
  render(Games);
  await drop('1. e4 *');
  await fireEvent.change(await screen.findByRole('combobox', { name: 'Player' }), { target: { value: 'Cy' } });
  expect(router.search).toBe('?player=Cy');
  expect(screen.getAllByRole('option', { name: / vs / }).map((option) => option.title)).toEqual(['Ada vs Cy — no date — 0-1']);
  expect(screen.getByTestId('counter').textContent).toBe('1 / 1');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Cy');
  expect(screen.getByText('It was never Cy who left the others.')).toBeTruthy();
  expect(screen.queryByRole('link', { name: /^1\.e4/ })).toBeNull();
});

it('shows one side’s novel moves of a match', async () => {
  render(Games);
  await fireEvent.click(await screen.findByRole('button', { name: 'of Bo' }));
  expect(router.search).toBe('?player=Bo');
  const cards = screen.getByRole('heading', { name: 'Our novel moves' }).closest('section') as HTMLElement;
  expect(within(cards).getAllByRole('listitem')).toHaveLength(1);
  await fireEvent.click(screen.getByRole('button', { name: 'Of both' }));
  expect(within(cards).getAllByRole('listitem')).toHaveLength(3);
});

it('analyses files that are opened, and says when there is no game in them', async () => {
  render(Games);
  await drop('1. e4 *');
  expect(await screen.findByText('There is no game in it.')).toBeTruthy();
});

it('keeps dropped games while another page is open, fetches nobody back for them, and leads back', async () => {
  let give = () => {};
  vi.stubGlobal('fetch', () => new Promise((done) => (give = () => done(Response.json({ ...fixture, games: fixture.games.slice(0, 1) })))));
  render(Games);
  await drop('1. e4 *');
  expect(await screen.findByText('Analysing mine.pgn …')).toBeTruthy();
  cleanup();
  router.go('/explorer');
  give();
  await vi.waitFor(() => expect(given.dropped?.names).toBe('mine.pgn'));
  expect(router.path).toBe('/explorer');
  router.go('/games');
  render(Games);
  expect(await screen.findByText(/These are the games of mine.pgn/)).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Back to the server’s games' }));
  expect(await screen.findByRole('option', { name: /^Bo vs Ada/ })).toBeTruthy();
});

it('offers files that could not be analysed once more', async () => {
  const refuse = vi.fn(async (_: string) => Response.json({ detail: 'busy', hint: 'wait' }, { status: 503 }));
  vi.stubGlobal('fetch', refuse);
  render(Games);
  await drop('1. e4 *');
  await fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => expect(refuse.mock.calls.map(([url]) => url)).toEqual(['/games/analyze', '/games/analyze']));
});

it('shows in the viewer what is chosen below it, without gliding where nothing is to move', async () => {
  vi.spyOn(window, 'matchMedia').mockReturnValue({ matches: true } as MediaQueryList);
  const into = vi.spyOn(Element.prototype, 'scrollIntoView');
  const stop = router.start();
  render(Games);
  await fireEvent.click(await screen.findByRole('link', { name: '1.e4 e5 2.Nf3, 2 games' }));
  expect(into).toHaveBeenCalledWith({ block: 'start', behavior: 'auto' });
  stop();
});

it('comes to the chosen game with Tab, and to those beside it with the arrow keys', async () => {
  render(Games);
  const list = await screen.findByRole('listbox', { name: 'Games' });
  const reached = () => within(list).getAllByRole('option').filter((option) => option.tabIndex === 0).map((option) => option.dataset.game);
  const [first, , third] = within(list).getAllByRole('option');
  expect(reached()).toEqual([first!.dataset.game]);
  first!.focus();
  await fireEvent.keyDown(first!, { key: 'End' });
  await vi.waitFor(() => expect(document.activeElement).toBe(third));
  expect(router.search).toBe('?game=3');
  expect(reached()).toEqual([third!.dataset.game]);
  // Of those that are listed.
  await fireEvent.input(screen.getByRole('textbox', { name: 'Filter games' }), { target: { value: 'berlin' } });
  const listed = within(list).getAllByRole('option');
  listed.at(-1)!.focus();
  await fireEvent.keyDown(listed.at(-1)!, { key: 'ArrowUp' });
  await vi.waitFor(() => expect(document.activeElement).toBe(within(list).getAllByRole('option').find((option) => option.getAttribute('aria-selected') === 'true')));
});

it('says a move that was come to by its link', async () => {
  router.go('/games?game=1&ply=4');
  render(Games);
  await screen.findByRole('listbox', { name: 'Games' });
  expect(here.said).toBe('Black knight to c6, first time');
});

it('says of too many games that they are, and does not send them', async () => {
  render(Games);
  await drop('1. e4 *', { size: 9 * 1024 * 1024 });
  expect(await screen.findByText(/^mine\.pgn: 9 MB, and 8 MB can be looked at here/)).toBeTruthy();
  expect(given.busy).toBe('');
  await drop('1. e4 *');
  await vi.waitFor(() => expect(given.dropped?.names).toBe('mine.pgn'));
});
