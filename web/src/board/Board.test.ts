import { cleanup, render, screen } from '@testing-library/svelte';
import type { Config } from 'chessground/config';
import { tick } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import Board from './Board.svelte';

let config: () => Config;
vi.mock('./ground.svelte', () => ({
  ground: (given: () => Config) => {
    config = given;
    return () => {};
  },
}));

afterEach(cleanup);

const before = '7k/P7/8/8/8/8/8/7K w - - 0 1';

it('asks what a pawn becomes, for as long as its position is on the board', async () => {
  const onmove = vi.fn();
  const { rerender } = render(Board, { fen: before, onmove });
  config().movable?.events?.after?.('a7', 'a8', { premove: false });
  await tick();
  const queen = screen.getByRole('button', { name: 'queen' });
  await rerender({ fen: '7k/8/8/8/8/8/8/7K w - - 0 1' });
  expect(screen.queryByRole('button', { name: 'queen' })).toBeNull();
  queen.click();
  expect(onmove).not.toHaveBeenCalled();

  await rerender({ fen: before });
  config().movable?.events?.after?.('a7', 'a8', { premove: false });
  await tick();
  screen.getByRole('button', { name: 'knight' }).click();
  expect(onmove).toHaveBeenCalledWith('a7a8n');
});
