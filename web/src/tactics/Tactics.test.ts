import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serve } from '../../tests/answers';
import { here } from '../here.svelte';
import { router } from '../router.svelte';
import Tactics from './Tactics.svelte';

const rooks = { id: '1', fen: '6k1/8/8/8/8/8/RR6/6K1 w - - 0 1', moves: ['a2a7', 'g8f8', 'b2b8'], tags: ['mateIn2'], source: 'hand.pgn' };
const black = { id: '2', fen: '6k1/5ppp/8/8/8/8/r4PPP/6K1 b - - 0 1', moves: ['a2a1'], tags: ['backRankMate'], source: 'hand.pgn' };

beforeEach(() => {
  serve({
    '/tactics/themes': { motifs: [{ name: 'mateIn2', tactics: 1 }], sources: [] },
    '/tactics?limit=20': { tactics: [rooks, black], next: null },
    '/tactics?limit=20&motif=fork': { tactics: [], next: null },
  });
  router.go('/tactics');
});

afterEach(() => {
  cleanup();
  router.go('/elsewhere');
  vi.unstubAllGlobals();
});

it('takes the moves, answers, and goes on', async () => {
  render(Tactics);
  expect(await screen.findByRole('heading', { name: 'White to move' })).toBeTruthy();
  here.play('a2a7');
  expect(await screen.findByText('Good; and now?')).toBeTruthy();
  await screen.findByText('Mate in 2.');
  here.play('b2b8');
  expect(await screen.findByText('Right.')).toBeTruthy();
  expect(screen.getByText('mate in 2 · hand.pgn')).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Next' }));
  expect(await screen.findByRole('heading', { name: 'Black to move' })).toBeTruthy();
  expect(screen.getByText('1 solved')).toBeTruthy();
});

it('sends a wrong move back, and helps after two', async () => {
  render(Tactics);
  await screen.findByRole('heading', { name: 'White to move' });
  expect(await screen.findByRole('option', { name: 'mate in 2 (1)' })).toBeTruthy();
  here.play('a2a3');
  expect(await screen.findByText('Not this. Try again.')).toBeTruthy();
  here.play('a2a4');
  expect(await screen.findByText('Look at the piece on a2.')).toBeTruthy();
});

it('says when nothing is left of a kind, and what to do with an empty bank', async () => {
  router.go('/tactics?motif=fork');
  render(Tactics);
  expect(await screen.findByText('No more puzzles of this kind.')).toBeTruthy();
  cleanup();
  serve({ '/tactics?limit=20': { tactics: [], next: null } });
  router.go('/tactics');
  render(Tactics);
  expect(await screen.findByText('The bank of tactics is empty.')).toBeTruthy();
  expect(screen.getByText(/^tabiya import/)).toBeTruthy();
});
