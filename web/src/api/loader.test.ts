import { expect, it, vi } from 'vitest';
import { Failure } from './client';
import { Loader, PATIENCE } from './loader.svelte';

it('keeps what was there, shows a skeleton only late, and forgets what nobody waits for', async () => {
  vi.useFakeTimers();
  const answers = new Map<string, (value: string) => void>();
  const loader = new Loader<string, string>((asked) => new Promise((done) => answers.set(asked, done)));

  loader.ask('a');
  answers.get('a')?.('A');
  await vi.advanceTimersByTimeAsync(0);
  expect(loader.got).toEqual({ asked: 'a', value: 'A' });

  const forget = loader.ask('b');
  await vi.advanceTimersByTimeAsync(PATIENCE - 1);
  expect([loader.got?.value, loader.slow]).toEqual(['A', false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(loader.slow).toBe(true);
  forget();

  loader.ask('c');
  answers.get('b')?.('B');
  answers.get('c')?.('C');
  await vi.advanceTimersByTimeAsync(0);
  expect([loader.got?.value, loader.slow]).toEqual(['C', false]);
  vi.useRealTimers();
});

it('has at once what is known already', () => {
  const loader = new Loader<string, string>(
    () => Promise.reject(new Error('not asked')),
    (asked) => asked.toUpperCase(),
  );
  loader.ask('a');
  expect(loader.got?.value).toBe('A');
});

it('keeps the last answer beside a failure', async () => {
  const loader = new Loader<string, string>(async (asked) => {
    if (asked === 'bad') throw new Failure('No.', 'Try another.');
    return asked;
  });
  loader.ask('good');
  await Promise.resolve();
  loader.ask('bad');
  await vi.waitFor(() => expect(loader.failure?.hint).toBe('Try another.'));
  expect(loader.got?.value).toBe('good');
});

it('lets no older question replace a newer answer, though nobody forgot it', async () => {
  vi.useFakeTimers();
  const answers = new Map<string, { done: (value: string) => void; fail: (error: Error) => void }>();
  const loader = new Loader<string, string>(
    (asked) => new Promise((done, fail) => answers.set(asked, { done, fail })),
    (asked) => (asked === 'known' ? 'KNOWN' : undefined),
  );

  loader.ask('old');
  loader.ask('failing');
  loader.ask('new');
  answers.get('new')?.done('NEW');
  await vi.advanceTimersByTimeAsync(0);
  answers.get('old')?.done('OLD');
  answers.get('failing')?.fail(new Failure('No.', 'Try another.'));
  await vi.advanceTimersByTimeAsync(0);
  expect([loader.got, loader.failure]).toEqual([{ asked: 'new', value: 'NEW' }, null]);

  loader.ask('slow');
  loader.ask('known');
  await vi.advanceTimersByTimeAsync(PATIENCE);
  answers.get('slow')?.done('SLOW');
  await vi.advanceTimersByTimeAsync(0);
  expect([loader.got?.value, loader.slow]).toEqual(['KNOWN', false]);
  vi.useRealTimers();
});
