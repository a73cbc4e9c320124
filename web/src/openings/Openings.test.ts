import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { position, results, serve } from '../../tests/answers';
import { INITIAL_FEN } from '../chess/line';
import { router } from '../router.svelte';
import Openings from './Openings.svelte';

const body = (collection: string, games: number) => ({ collection, ...results(games, 0, 0) });
const counts = (game_count: number) => ({ game_count, white: game_count, draws: 0, black: 0 });

beforeEach(() => {
  serve({
    '/openings': {
      games: 1500,
      codes: [
        { eco_code: 'C50', name: 'Italian Game', slug: 'c50-italian-game', line: '1.e4', fen: INITIAL_FEN, games: counts(1000) },
        { eco_code: 'B90', name: 'Najdorf', slug: 'b90-najdorf', line: '1.e4', fen: INITIAL_FEN, games: counts(1) },
      ],
      openings: [
        { slug: 'c50-italian-game', eco_code: 'C50', name: 'Italian Game', line: '1.e4 e5 2.Nf3 Nc6 3.Bc4', games: counts(1000) },
        { slug: 'b90-najdorf', eco_code: 'B90', name: 'Sicilian Defense: Najdorf Variation', line: '1.e4 c5', games: counts(1) },
      ],
    },
    '/openings?collection=match': { games: 500, codes: [], openings: [{ slug: 'b90-najdorf', eco_code: 'B90', name: 'Sicilian Defense: Najdorf Variation', line: '1.e4 c5', games: counts(500) }] },
    '/openings?collection=none': { games: 0, codes: [], openings: [] },
    '/position': position([], { collections: [body('games', 1000), body('match', 500)] }),
  });
  router.go('/openings');
});

afterEach(() => {
  cleanup();
  router.go('/elsewhere');
  vi.unstubAllGlobals();
});

it('shades the map, adds up its index and lists by games', async () => {
  render(Openings);
  const cell = await screen.findByRole('link', { name: 'C50, Italian Game, 1,000 games' });
  expect(cell.className).toContain('heat6');
  expect(screen.getByRole('link', { name: 'B90, Najdorf, 1 game' }).className).toContain('heat1');
  expect(screen.getByRole('link', { name: 'A00, no opening' }).className).toContain('heat0');
  expect(screen.getByRole('link', { name: /50–59 Italian, Two Knights 1.0k/ })).toBeTruthy();
  const table = screen.getByRole('table', { name: 'Openings' }) as HTMLTableElement;
  expect([...table.tBodies[0]!.rows].map((row) => row.cells[1]?.textContent?.trim())).toEqual(['Italian Game', 'Sicilian Defense: Najdorf Variation']);
});

it('filters while one types, and keeps it in the address', async () => {
  render(Openings);
  const input = await screen.findByRole('textbox', { name: 'Filter openings' });
  await fireEvent.input(input, { target: { value: 'najdrof' } });
  await waitFor(() => expect(screen.getByText('1 of 2 names')).toBeTruthy());
  expect(router.search).toBe('?q=najdrof');
  expect(screen.queryByRole('link', { name: 'Italian Game' })).toBeNull();
  await fireEvent.input(input, { target: { value: 'zzzz' } });
  expect(await screen.findByText(/No opening is called so/)).toBeTruthy();
});

it('walks the map with the arrow keys and says what a cell is', async () => {
  render(Openings);
  const first = await screen.findByRole('link', { name: 'C00, no opening' });
  first.focus();
  for (let row = 0; row < 5; row++) await fireEvent.keyDown(document.activeElement!, { key: 'ArrowDown' });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('C50, Italian Game, 1,000 games');
  expect(await screen.findByRole('tooltip')).toBeTruthy();
  expect(await fireEvent.keyDown(document.activeElement!, { key: 'ArrowLeft', altKey: true })).toBe(true);
  expect(document.activeElement?.getAttribute('aria-label')).toContain('C50');
});

it('says that there is no opening of a mistyped address', async () => {
  router.go('/openings/100%');
  render(Openings);
  expect(await screen.findByRole('link', { name: 'All openings' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

it('asks again for an opening that could not be read', async () => {
  const refuse = vi.fn(async () => Response.json({ status: 503, detail: 'still loading', hint: 'wait' }, { status: 503 }));
  vi.stubGlobal('fetch', refuse);
  router.go('/openings/c50-italian-game');
  render(Openings);
  const button = await screen.findByRole('button', { name: 'Try again' });
  const before = refuse.mock.calls.length;
  await fireEvent.click(button);
  await waitFor(() => expect(refuse.mock.calls.length).toBeGreaterThan(before));
});

it('shows the games of one collection, and stays with them', async () => {
  render(Openings);
  const tab = await screen.findByRole('link', { name: 'Match 500' });
  expect(screen.getByRole('link', { name: 'All games 1.5k' }).getAttribute('aria-current')).toBe('true');
  expect(screen.queryByRole('link', { name: /^Openings/ })).toBeNull();
  expect(tab.getAttribute('href')).toBe('/openings?collection=match');
  router.go('/openings?collection=match');
  await waitFor(() => expect(screen.getByRole('link', { name: 'Match 500' }).getAttribute('aria-current')).toBe('true'));
  expect(screen.queryByRole('link', { name: 'Italian Game' })).toBeNull();
  await fireEvent.input(screen.getByRole('textbox', { name: 'Filter openings' }), { target: { value: 'naj' } });
  expect(router.search).toBe('?q=naj&collection=match');
  expect(screen.getByRole('link', { name: 'A00, no opening' }).getAttribute('href')).toBe('/openings?q=A00&collection=match');
});

it('says how to fill a knowledge base that is empty', async () => {
  router.go('/openings?collection=none');
  render(Openings);
  expect(await screen.findByText('This knowledge base is empty.')).toBeTruthy();
  expect(screen.getByText(/^tabiya build all/)).toBeTruthy();
  expect(screen.queryByRole('textbox', { name: 'Filter openings' })).toBeNull();
});
