import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { name, position, serve } from '../tests/answers';
import App from './App.svelte';
import { router } from './router.svelte';
import { settings } from './settings.svelte';

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

it('lets a phone choose theme and figurines, and search', async () => {
  serve({});
  router.go('/nowhere');
  render(App);
  // jsdom shows no dialog, but has it.
  const more = () => fireEvent.click(screen.getByRole('button', { name: 'More', hidden: true }));
  await more();
  await fireEvent.click(screen.getByRole('radio', { name: 'Dark', hidden: true }));
  expect(document.documentElement.dataset.theme).toBe('dark');
  await fireEvent.click(screen.getByRole('radio', { name: 'As the system says', hidden: true }));
  expect(document.documentElement.dataset.theme).toBeUndefined();
  const figurines = screen.getByRole('checkbox', { name: /^Figurines/, hidden: true });
  await fireEvent.click(figurines);
  expect(settings.figurines).toBe(true);
  await fireEvent.click(figurines);
  await fireEvent.click(screen.getByRole('button', { name: /^Search openings/, hidden: true }));
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole('combobox')));
  expect(document.querySelector('dialog')).toBeNull();
});
