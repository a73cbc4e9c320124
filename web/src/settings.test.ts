import { afterEach, expect, it } from 'vitest';
import { settings, shown } from './settings.svelte';

afterEach(() => {
  settings.theme = 'system';
  settings.figurines = false;
  localStorage.clear();
});

it('goes round the themes and tells the page', () => {
  const seen = [1, 2, 3].map(() => {
    settings.nextTheme();
    return document.documentElement.dataset.theme;
  });
  expect(seen).toEqual(['dark', 'light', undefined]);
  expect(localStorage.getItem('tabiya.theme')).toBe('system');
});

it('writes moves with figurines where asked', () => {
  expect(shown('Nxe5')).toBe('Nxe5');
  settings.toggleFigurines();
  expect(shown('Nxe5')).toBe('♘\uFE0Exe5');
  expect(shown('O-O')).toBe('O-O');
  expect(shown('e8=Q+')).toBe('e8=♕\uFE0E+');
});
