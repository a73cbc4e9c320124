import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import { INITIAL_FEN } from '../chess/line';
import Unknown from './Unknown.svelte';

afterEach(cleanup);

it('says how to fill an empty knowledge base, and leads on', () => {
  render(Unknown, { unknown: { known: false, name: null, lastPly: null, hint: '' }, asked: { start: INITIAL_FEN, play: [], collection: '' } });
  expect(screen.getByRole('heading', { name: 'Initial position' })).toBeTruthy();
  expect(screen.getByText(/^tabiya build all/)).toBeTruthy();
  expect(screen.getByRole('link').getAttribute('href')).toBe('/openings');
});
