import { cleanup, render } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { name, position, serve } from '../tests/answers';
import App from './App.svelte';
import { router } from './router.svelte';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('calls the window after what the page shows', async () => {
  serve({
    '/position?play=e2e4': position(['e2e4'], { names: { by_position: name('B00', "King's Pawn") } }),
    '/position?play=e2e4&collection=mine': position(['e2e4'], { names: { by_position: name('B00', "King's Pawn") } }),
  });
  router.go('/explorer?play=e2e4');
  render(App);
  await vi.waitFor(() => expect(document.title).toBe('King’s Pawn · Explorer · Tabiya'));
  router.go('/explorer?play=e2e4&collection=mine');
  await vi.waitFor(() => expect(document.title).toBe('King’s Pawn, mine · Explorer · Tabiya'));
  router.go('/nowhere');
  await vi.waitFor(() => expect(document.title).toBe('Tabiya'));
});
