import { expect, it } from 'vitest';
import { here } from './here.svelte';

it('forgets what a page was called when it closes, not what the next one is called', () => {
  const first = here.call('Italian Game');
  const second = here.call('Ruy Lopez');
  first();
  expect(here.about).toBe('Ruy Lopez');
  second();
  expect(here.about).toBe('');
});
