import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import { router } from '../router.svelte';
import type { Entry } from './catalogue';
import OpeningList from './OpeningList.svelte';

const games = { game_count: 1, white: 1, draws: 0, black: 0 };
const openings = Array.from({ length: 60 }, (_, n) => ({ slug: `a${n}`, eco_code: 'A00', name: `Opening ${n}`, line: '1.e4', games })) as unknown as Entry[];

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  router.go('/elsewhere');
});

it('shows as many as before when one comes back', async () => {
  router.go('/openings');
  render(OpeningList, { openings, collection: '', from: [1] });
  const rows = () => (screen.getByRole('table') as HTMLTableElement).tBodies[0]!.rows.length;
  expect(rows()).toBe(50);
  await fireEvent.click(screen.getByRole('button', { name: 'Show more of 60' }));
  expect(rows()).toBe(60);
  cleanup();
  render(OpeningList, { openings, collection: '', from: [1] });
  expect(rows()).toBe(60);
});
