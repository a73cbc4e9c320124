// Answers of the server for component tests: small, and in the shape of the contract.

import { vi } from 'vitest';
import type { Position, Results, Schema } from '../src/api/client';
import { INITIAL_FEN, fenAt, lineOfUci } from '../src/chess/line';

export function results(white: number, draws: number, black: number): Results {
  const game_count = white + draws + black;
  const pct = (n: number) => (game_count === 0 ? null : (100 * n) / game_count);
  return {
    game_count,
    white,
    draws,
    black,
    white_win_pct: pct(white),
    draw_pct: pct(draws),
    black_win_pct: pct(black),
    average_rating: 2700,
    first_year: 1984,
    last_year: 1990,
  };
}

export function name(eco_code: string, whole: string): Schema['Name'] {
  const [opening_name = '', variation_name = null] = whole.split(': ');
  const slug = `${eco_code} ${whole}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return { opening_id: '00000000-0000-8000-8000-000000000001', slug, eco_code, name: whole, opening_name, variation_name };
}

export function row(uci: string, san: string, games: Results, more: Partial<Schema['MoveRow']> = {}): Schema['MoveRow'] {
  return {
    node_id: '00000000-0000-8000-8000-000000000002',
    uci,
    pgn_move: san,
    games,
    position_games: games,
    share_pct: 10,
    is_busted: false,
    is_dubious: false,
    name_is_own: true,
    ...more,
  };
}

export function position(play: string[], more: Partial<Position> = {}): Position {
  const games = results(40, 30, 30);
  return {
    node_id: '00000000-0000-8000-8000-000000000003',
    fen: fenAt(lineOfUci(play), play.length),
    ply: play.length,
    move_number: 0,
    is_branching_node: true,
    is_dubious: false,
    is_busted: false,
    game_count: games.game_count,
    children: [],
    transpositions: [],
    child_node_ids: [],
    transposition_ids: [],
    names: {},
    games,
    collections: [{ collection: 'games', ...games }],
    lines: [],
    moves: [],
    parents: [],
    top_games: [],
    recent_games: [],
    ...more,
  };
}

/** Answers by the path and query asked for; what is not listed is a 404 problem. */
export function serve(answers: Record<string, unknown>): ReturnType<typeof vi.fn> {
  const fetched = vi.fn(async (asked: Request | string) => {
    const url = new URL(typeof asked === 'string' ? asked : asked.url, location.origin);
    const key = decodeURIComponent(url.pathname + url.search);
    const body = answers[key];
    const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: `nothing at ${key}`, code: 'not-found', hint: 'ask for something else' };
    const answer = body ?? problem;
    const status = body === undefined ? 404 : ((body as { status?: number }).status ?? 200);
    return new Response(JSON.stringify(answer), { status, headers: { 'content-type': 'application/json' } });
  });
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

export { INITIAL_FEN };
