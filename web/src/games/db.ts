// db.json: many games in one trie, as `tabiya analyze` writes it. Fields with a question mark are not in every file.

import { Cache } from '../api/cache';
import { Failure, ask } from '../api/client';

export interface Move {
  san: string;
  ply: number;
  /** Games that went this way up to here. */
  gameCount: number;
  isNovelty: boolean;
  isBranchPoint: boolean;
  isPositionNovelty?: boolean;
}

export interface Game {
  id: number;
  white: string;
  black: string;
  result: string;
  date: string;
  url: string;
  eco?: string;
  opening?: string;
  event?: string;
  site?: string;
  round?: string;
  moves: Move[];
  noveltyPlies: number[];
}

export interface Novelty {
  path: string[];
  ply: number;
  san: string;
  playedBy: string;
  gameId: number;
  sharedUntilPly: number;
  gamesAtParent: number;
  parentGameIds: number[];
  alternativesAtParent: string[];
}

export interface Branch {
  path: string[];
  ply: number;
  gameCount: number;
  continuations: { san: string; gameCount: number }[];
}

export interface Db {
  meta: { players: string[]; analyzedAt: string; totalGames: number };
  games: Game[];
  novelties: Novelty[];
  branches: Branch[];
}

const cache = new Cache<Db | null>(1);

/** The games the server was given; null where it was given none. */
export function served(): Promise<Db | null> {
  return cache.get('', async () => {
    try {
      return await ask<Db>('/data/db.json');
    } catch (error) {
      if (error instanceof Failure && error.unknown) return null;
      throw error;
    }
  });
}

export function peekServed(): Db | null | undefined {
  return cache.peek('');
}

/** Analyses the text of PGN files; the server keeps nothing of it. */
export function analyse(pgn: string): Promise<Db> {
  return ask<Db>('/games/analyze', { method: 'POST', body: pgn, headers: { 'content-type': 'application/x-chess-pgn' } });
}
