import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { here } from '../here.svelte';
import { router } from '../router.svelte';
import Search from './Search.svelte';

const opening = (id: string, name: string, line: string) => ({ opening_id: id, slug: id, name, eco_code: 'A00', line, matched_alias: null, score: 1 });

/** Answers by what is asked, each when the test says so. */
let answers: Map<string, (found: unknown[]) => void>;

beforeEach(() => {
  answers = new Map();
  vi.stubGlobal(
    'fetch',
    vi.fn(
      (request: Request) =>
        new Promise((done) => {
          const q = new URL(request.url).searchParams.get('q') ?? '';
          answers.set(q, (found) => done(new Response(JSON.stringify(found), { headers: { 'content-type': 'application/json' } })));
        }),
    ),
  );
  router.go('/explorer');
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function type(value: string): Promise<HTMLInputElement> {
  const input = screen.getByRole<HTMLInputElement>('combobox');
  await fireEvent.input(input, { target: { value } });
  await vi.waitFor(() => expect([...answers.keys()]).toContain(value));
  return input;
}

it('takes for Enter what was found for what is typed now', async () => {
  render(Search);
  screen.getByRole('combobox').focus();
  await type('sic');
  answers.get('sic')?.([opening('1', 'Sicilian Defense', '1.e4 c5')]);
  await screen.findByRole('option', { name: /Sicilian/ });
  const input = await type('car');
  await fireEvent.keyDown(input, { key: 'Enter' });
  expect(router.search).toBe('');
  answers.get('car')?.([opening('2', 'Caro-Kann Defense', '1.e4 c6')]);
  await vi.waitFor(() => expect(router.search).toBe('?play=e2e4,c7c6'));
  expect(input.value).toBe('');
});

it('forgets about Enter when something else is typed', async () => {
  render(Search);
  screen.getByRole('combobox').focus();
  const input = await type('fre');
  await fireEvent.keyDown(input, { key: 'Enter' });
  await type('dut');
  answers.get('fre')?.([opening('3', 'French Defense', '1.e4 e6')]);
  answers.get('dut')?.([opening('4', 'Dutch Defense', '1.d4 f5')]);
  await screen.findByRole('option', { name: /Dutch/ });
  expect(router.search).toBe('');
});

it('is reached again and again, also when it was left by a click elsewhere', async () => {
  render(Search);
  const input = screen.getByRole('combobox');
  for (let time = 0; time < 2; time++) {
    here.search();
    await tick();
    await tick();
    expect(document.activeElement).toBe(input);
    input.blur();
    await tick();
  }
});

it('says what cannot be played, and opens nothing else for it', async () => {
  render(Search);
  const input = screen.getByRole('combobox');
  input.focus();
  await type('kar');
  answers.get('kar')?.([opening('5', 'Karpov', '1.d4 Nf6')]);
  await screen.findByRole('option', { name: /Karpov/ });
  for (const [text, why] of [['8/8/8/8/8/8/8/8 w - - 0 1', /“8\/8.*” cannot be played: the board is empty\./], ['1.e5', '“e5” cannot be played as the first move.']] as const) {
    await fireEvent.input(input, { target: { value: text } });
    expect(await screen.findByText(why)).toBeTruthy();
    expect(screen.queryByRole('option')).toBeNull();
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect(router.search).toBe('');
  }
  expect([...answers.keys()]).toEqual(['kar']);
});
