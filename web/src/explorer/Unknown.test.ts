import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import { INITIAL_FEN } from '../chess/line';
import Unknown from './Unknown.svelte';

afterEach(cleanup);

it('leads back to where one began, where that is known', () => {
  const start = 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3';
  render(Unknown, { unknown: { known: false, name: null, lastPly: 0, hint: '' }, asked: { start, play: ['a7a6'], collection: '' } });
  const link = screen.getByRole('link');
  expect(link.textContent).toMatch(/last known/);
  expect(new URL(link.getAttribute('href')!, 'http://x').searchParams.get('fen')).toContain('r1bqkbnr');
});

it('says how to fill an empty knowledge base, and leads on', () => {
  render(Unknown, { unknown: { known: false, name: null, lastPly: null, hint: '' }, asked: { start: INITIAL_FEN, play: [], collection: '' } });
  expect(screen.getByRole('heading', { name: 'Initial position' })).toBeTruthy();
  expect(screen.getByText(/^tabiya build all/)).toBeTruthy();
  expect(screen.getByRole('link').getAttribute('href')).toBe('/games');
});
