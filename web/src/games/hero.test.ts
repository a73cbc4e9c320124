import { cleanup, render } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import fixture from '../../tests/fixtures/db.json';
import { Book } from './book';
import type { Db, Game } from './db';
import PathBars from './PathBars.svelte';
import Strip from './Strip.svelte';

afterEach(cleanup);

it('numbers the first move, every fifth and that of the ★', () => {
  const moves = Array.from({ length: 20 }, (_, index) => ({ san: 'Nf3', ply: index + 1, gameCount: 3, isNovelty: index === 15, isBranchPoint: false }));
  const game = { moves, noveltyPlies: [16] } as unknown as Game;
  const numbers = (ply: number) => {
    cleanup();
    render(PathBars, { game, ply, most: 3 });
    return [...document.querySelectorAll('.number')].map((number) => number.textContent).filter(Boolean);
  };
  expect(numbers(15)).toEqual(['1', '5']);
  expect(numbers(20)).toEqual(['1', '5', '8']);
});

it('points at the game that plays, above its bar', async () => {
  const book = new Book(fixture as Db);
  const { rerender } = render(Strip, { book, current: 0, onchoose: () => {} });
  const left = () => document.querySelector<HTMLElement>('.here')?.style.left;
  const first = left();
  await rerender({ current: 1 });
  expect([first, left()].map(parseFloat as (text: unknown) => number).map(Math.round)).toEqual([17, 50]);
});
