// Openings by what people type, as the search box wants them.

import { Cache } from '../api/cache';
import { type Schema, answer, client } from '../api/client';
import { lineOfText } from '../chess/line';
import { href } from '../router.svelte';

export type Found = Schema['SearchResult'];

const cache = new Cache<Found[]>(200);

export function search(q: string): Promise<Found[]> {
  return cache.get(q, () => answer(client.GET('/opening/search', { params: { query: { q, limit: 8 } } })));
}

/** Where the explorer shows a line in SAN. */
export function explorerHref(moves: string): string {
  return href('/explorer', { play: lineOfText(moves).plies.map((ply) => ply.uci).join(',') });
}
