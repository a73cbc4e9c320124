import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { name, position, results, row, serve } from '../../tests/answers';
import { here } from '../here.svelte';
import { press } from '../keys.svelte';
import { router } from '../router.svelte';
import Explorer from './Explorer.svelte';

const italian = name('C50', 'Italian Game');
const start = position([], {
  moves: [row('e2e4', 'e4', results(50, 30, 20), { share_pct: 62.4, stockfish_eval: 32 }), row('d2d4', 'd4', results(5, 4, 1), { is_busted: true, stockfish_eval: -258 })],
});
const e4 = position(['e2e4'], {
  names: { by_position: italian, by_path: italian },
  parents: [
    { node_id: '00000000-0000-8000-8000-000000000004', pgn_move: 'e4', uci: 'e2e4', game_count: 1, name: null, play: '' },
    { node_id: '00000000-0000-8000-8000-000000000005', pgn_move: 'e3', uci: 'e3e4', game_count: 1, name: name('C23', "Bishop's Opening"), play: 'e2e3,a7a6' },
  ],
  moves: [row('e7e5', 'e5', results(1, 1, 0), { position_games: results(2, 2, 1), name: name('C50', 'Italian Game: Giuoco Piano') })],
});

function pressed(key: string) {
  press(new KeyboardEvent('keydown', { key, cancelable: true }));
}

beforeEach(() => {
  serve({
    '/position': start,
    '/position?play=e2e4': e4,
    '/position?play=a2a4': {
      status: 404,
      detail: 'no game came here',
      hint: 'go back',
      code: 'unknown-position',
      type: 'about:blank',
      title: 'Not Found',
      position: { fen: '', eco_code: 'A00', opening_name: 'Ware Opening' },
    },
  });
  router.go('/explorer');
});

afterEach(() => {
  cleanup();
  router.go('/elsewhere');
  vi.unstubAllGlobals();
});

describe('the explorer', () => {
  it('says in figures what was played', async () => {
    render(Explorer);
    const link = await screen.findByRole('link', { name: 'e4' });
    const cells = [...(link.closest('tr')?.cells ?? [])].map((cell) => cell.textContent?.trim());
    expect(cells).toEqual(['1', 'e4', '100', '62\u2009%', '503020', '50', '30', '20', '+0.32', '', '']);
    expect(screen.getByText('−2.58').className).toContain('busted');
    expect(screen.getByText('White wins 40 %')).toBeTruthy();
  });

  it('writes out the engine’s lines, each move a way there, and folds further ones away', async () => {
    const line = { rank: 1, stockfish_eval: 18, mate: null, expected_points: 0.516, depth: 22, engine: 'Stockfish 17', san: ['e5', 'Nf3', 'Nc6'], uci: ['e7e5', 'g1f3', 'b8c6'] };
    const others = [2, 3, 4].map((rank) => ({ ...line, rank, stockfish_eval: 30 + rank, san: ['c5'], uci: ['c7c5'] }));
    serve({ '/position?play=e2e3': position(['e2e3'], { stockfish_eval: 18, expected_points: 0.516, lines: [line, ...others] }) });
    router.go('/explorer?play=e2e3');
    render(Explorer);
    const [list] = await screen.findAllByRole('list', { name: 'Lines of the engine' });
    expect([...list!.querySelectorAll('li')].map((item) => item.textContent?.replaceAll(/\s+/g, ' ').trim())).toEqual(['+0.18 1…e5 2.Nf3 Nc6', '+0.32 1…c5', '+0.33 1…c5']);
    expect(list!.querySelectorAll('a')[1]?.getAttribute('href')).toBe('/explorer?play=e2e3,e7e5,g1f3');
    expect(list!.parentElement?.textContent).toContain('Stockfish 17, depth 22; White expects 0.52 points');
    expect(list!.parentElement?.querySelector('details')?.textContent).toContain('1 more line');
  });

  it('plays by digit and by arrow, and goes back', async () => {
    render(Explorer);
    await screen.findByRole('link', { name: 'e4' });
    pressed('1');
    await screen.findByRole('heading', { name: 'Italian Game' });
    expect(router.search).toBe('?play=e2e4');
    expect(here.said).toBe('White pawn to e4, Italian Game');
    pressed('ArrowLeft');
    await screen.findByRole('heading', { name: 'Initial position' });
    expect(router.search).toBe('');
    pressed('ArrowRight');
    await waitFor(() => expect(router.search).toBe('?play=e2e4'));
  });

  it('links what else leads here, and counts those games', async () => {
    router.go('/explorer?play=e2e4');
    render(Explorer);
    const other = await screen.findByRole('link', { name: 'Bishop’s Opening' });
    expect(other.getAttribute('href')).toBe('/explorer?play=e2e3,a7a6,e3e4');
    const cells = screen.getByRole('link', { name: 'e5' }).closest('tr')?.cells;
    expect(cells?.[10]?.textContent?.trim()).toBe('3');
    expect(cells?.[9]?.textContent).toBe('Giuoco Piano');
  });

  it('never dead-ends: an unknown position keeps its name and shows the way back', async () => {
    router.go('/explorer?play=a2a4');
    render(Explorer);
    await screen.findByRole('heading', { name: 'Ware Opening' });
    expect(screen.getByRole('link', { name: 'Go to the initial position' })).toBeTruthy();
    // The answer says all there is: nothing before is known, and no second question is due.
    const asked = vi.mocked(fetch).mock.calls.map(([request]) => new URL((request as Request).url, location.origin).pathname);
    expect(asked).not.toContain('/node/pgn');
  });

  it('leads from an unknown position to the last known one', async () => {
    const unknown = { status: 404, detail: 'no game came here', hint: 'go back', code: 'unknown-position', type: 'about:blank', title: 'Not Found' };
    serve({ '/position?play=e2e4,a7a5,a2a3': { ...unknown, last_known: { fen: '', ply: 1 } } });
    router.go('/explorer?play=e2e4,a7a5,a2a3');
    render(Explorer);
    const back = await screen.findByRole('link', { name: 'Go to the last known position, after 1.e4' });
    expect(back.getAttribute('href')).toBe('/explorer?play=e2e4');
  });

  it('says what is wrong with an address that cannot be played', async () => {
    router.go('/explorer?play=e2e5');
    render(Explorer);
    expect(await screen.findByText(/“e2e5” cannot be played/)).toBeTruthy();
  });

  it('says how to start a server that does not answer, and asks again', async () => {
    vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(new TypeError('no'))));
    router.go('/explorer?play=d2d4');
    render(Explorer);
    await screen.findByText('The server cannot be reached.');
    serve({ '/position?play=d2d4': position(['d2d4'], { names: { by_position: name('A40', 'Queen’s Pawn') } }) });
    screen.getByRole('button', { name: 'Try again' }).click();
    await tick();
    expect(await screen.findByRole('heading', { name: 'Queen’s Pawn' })).toBeTruthy();
  });

  it('plays with Enter what was gone to by key, not what the mouse lies on', async () => {
    const moves = Array.from({ length: 12 }, (_, n) => row(`${'abcdefgh'[n % 8]}2${'abcdefgh'[n % 8]}${n < 8 ? 3 : 4}`, `${'abcdefgh'[n % 8]}${n < 8 ? 3 : 4}`, results(12 - n, 0, 0)));
    serve({ '/position?play=g1f3,g8f6,f3g1,f6g8': position(['g1f3', 'g8f6', 'f3g1', 'f6g8'], { moves }) });
    router.go('/explorer?play=g1f3,g8f6,f3g1,f6g8');
    render(Explorer);
    const second = await screen.findByRole('link', { name: 'b3' });
    await fireEvent.pointerEnter(second.closest('tr')!);
    pressed('Enter');
    expect(router.search).toBe('?play=g1f3,g8f6,f3g1,f6g8');
    pressed('ArrowDown');
    expect(document.activeElement?.textContent).toBe('c3');
    // Two of the twelve are folded away.
    for (let presses = 0; presses < 12; presses++) pressed('ArrowDown');
    expect(document.activeElement?.textContent).toBe('b4');
    expect(screen.getByRole('button', { name: '2 more moves' })).toBeTruthy();
  });

  it('keeps whoever is in the table by key in it', async () => {
    render(Explorer);
    await screen.findByRole('link', { name: 'e4' });
    pressed('ArrowDown');
    expect(document.activeElement?.textContent).toBe('e4');
    router.go('/explorer?play=e2e4');
    await screen.findByRole('link', { name: 'e5' });
    await waitFor(() => expect(document.activeElement?.textContent).toBe('e5'));
  });

  it('names the chosen collection where it has no games, too', async () => {
    const games = (game_count: number) => ({ ...results(0, 0, 0), game_count });
    serve({ '/position?play=a2a4&collection=masters': position(['a2a4'], { collections: [{ collection: 'lichess', ...games(3) }] }) });
    router.go('/explorer?play=a2a4&collection=masters');
    render(Explorer);
    const chosen = await screen.findByRole('link', { name: 'Masters 0' });
    expect(chosen.getAttribute('aria-current')).toBe('true');
    expect(screen.getByRole('link', { name: 'Lichess 3' })).toBeTruthy();
  });

  it('leads where its rows say, while the next position is not there yet', async () => {
    serve({ '/position?play=c2c4': position(['c2c4'], { moves: [row('c7c5', 'c5', results(1, 0, 0))] }) });
    router.go('/explorer?play=c2c4');
    render(Explorer);
    const link = await screen.findByRole('link', { name: 'c5' });
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    router.go('/explorer?play=c2c4,g8f6');
    await tick();
    expect(link.isConnected && link.getAttribute('href')).toBe('/explorer?play=c2c4,c7c5');
  });

  it('leads on from what a collection, or nobody, has', async () => {
    const unknown = { status: 404, detail: 'no game came here', hint: 'go back', code: 'unknown-position', type: 'about:blank', title: 'Not Found' };
    serve({ '/position?fen=8/8/4k3/8/8/4K3/4P3/8 w - - 0 1': unknown, '/position?collection=mine': unknown });
    router.go(`/explorer?collection=mine`);
    render(Explorer);
    expect((await screen.findByRole('link', { name: 'Look at all games' })).getAttribute('href')).toBe('/explorer');
    expect(screen.getByText('Go back.')).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Go to the initial position' })).toBeNull();
    router.go('/explorer?fen=8/8/4k3/8/8/4K3/4P3/8 w - - 0 1');
    expect(await screen.findByRole('link', { name: 'Go to the initial position' })).toBeTruthy();
  });

  it('keeps the collection on the way to other move orders, and no evaluation of another position', async () => {
    serve({ '/position?play=e2e4&collection=mine': { ...e4, stockfish_eval: 35 } });
    router.go('/explorer?play=e2e4&collection=mine');
    render(Explorer);
    const other = await screen.findByRole('link', { name: 'Bishop’s Opening' });
    expect(other.getAttribute('href')).toBe('/explorer?play=e2e3,a7a6,e3e4&collection=mine');
    expect(screen.getByRole('img', { name: /^Evaluation \+0\.35/ })).toBeTruthy();
    router.go('/explorer?play=e2e4,h7h5&collection=mine');
    await screen.findByText('Nothing at /position?play=e2e4,h7h5&collection=mine.');
    expect(screen.getByRole('img', { name: 'Not evaluated' })).toBeTruthy();
  });

  it('leaves rows unfolded for whoever comes back', async () => {
    const play = ['g1f3', 'g8f6', 'f3g1', 'f6g8'];
    const moves = Array.from({ length: 12 }, (_, n) => row(`${'abcdefgh'[n % 8]}2${'abcdefgh'[n % 8]}${n < 8 ? 3 : 4}`, `${'abcdefgh'[n % 8]}${n < 8 ? 3 : 4}`, results(12 - n, 0, 0)));
    serve({ [`/position?play=${play}&collection=back`]: position(play, { moves }) });
    router.go(`/explorer?play=${play}&collection=back`);
    render(Explorer);
    await fireEvent.click(await screen.findByRole('button', { name: '2 more moves' }));
    cleanup();
    render(Explorer);
    expect(await screen.findByRole('link', { name: 'd4' })).toBeTruthy();
    sessionStorage.clear();
  });
});
