import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lineOfSan } from '../chess/line';
import { router } from '../router.svelte';
import OpeningTree from './OpeningTree.svelte';
import type { Node } from './tree';

function node(sans: string[], game_count: number, children: Node[] = []): Node {
  return { san: sans.at(-1) ?? '', fen: lineOfSan(sans).plies.at(-1)?.fen ?? '', engineResponses: [], responseWeights: [], game_count, children };
}

const root = node(['e4', 'e5'], 40, [
  node(['e4', 'e5', 'Nf3'], 30, [node(['e4', 'e5', 'Nf3', 'Nc6'], 25), node(['e4', 'e5', 'Nf3', 'd6'], 5)]),
  node(['e4', 'e5', 'f4'], 10),
]);

let stop: () => void;
beforeEach(() => {
  sessionStorage.clear();
  stop = router.start();
  router.go('/openings/x');
});
afterEach(() => {
  cleanup();
  stop();
});

const show = () => render(OpeningTree, { root, line: lineOfSan(['e4', 'e5']).plies, slug: 'x', family: 'Open Game', onpoint: () => {} });
const at = () => document.activeElement?.querySelector('a')?.textContent;
const press = (key: string, more: object = {}) => fireEvent.keyDown(document.activeElement!, { key, ...more });

it('is walked by keyboard, and opens a move with Enter', async () => {
  show();
  screen.getAllByRole('treeitem')[0]!.focus();
  await press('ArrowDown');
  expect(at()).toBe('2…Nc6');
  await press('ArrowLeft');
  expect(at()).toBe('2.Nf3');
  await press('End');
  expect(at()).toBe('2.f4');
  await press('ArrowLeft');
  expect(at()).toBe('2.f4');
  await press('Enter');
  expect(router.search).toBe('?play=e2e4,e7e5,f2f4');
});

it('leaves chords to the browser', async () => {
  show();
  screen.getAllByRole('treeitem')[1]!.focus();
  // fireEvent is false where somebody prevented what the browser would have done.
  expect(await press('ArrowLeft', { altKey: true })).toBe(true);
  expect(at()).toBe('2…Nc6');
});

it('is still reached with Tab when the row that was chosen is folded away', async () => {
  show();
  screen.getAllByRole('treeitem')[2]!.focus();
  await tick();
  screen.getByRole('button', { name: 'Fold Nf3' }).click();
  await tick();
  expect(screen.getAllByRole('treeitem').map((row) => row.tabIndex)).toEqual([0, -1]);
});
