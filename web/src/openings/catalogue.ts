// All openings with their games, and the games of all 500 codes, in one answer; of one collection, or of all.

import { Cache } from '../api/cache';
import { type Position, type Schema, answer, client } from '../api/client';
import { get } from '../api/position';
import { INITIAL_FEN } from '../chess/line';
import { href } from '../router.svelte';

export type Catalogue = Schema['Openings'] & { collections: Position['collections'] };
export type Code = Schema['CodeEntry'];
export type Entry = Schema['OpeningGames'];

// A knowledge base that is empty is so until it is built.
const cache = new Cache<Catalogue>(4, (catalogue) => catalogue.openings.length > 0);

export function catalogue(collection: string): Promise<Catalogue> {
  return cache.get(collection, async () => {
    const query = collection === '' ? {} : { collection };
    // What was taken from an explorer is counted by its positions alone.
    const initial = get({ start: INITIAL_FEN, play: [], collection: '' });
    const [openings, start] = await Promise.all([answer(client.GET('/openings', { params: { query } })), initial]);
    return { ...openings, collections: start.known ? start.position.collections : [] };
  });
}

export function peekCatalogue(collection: string): Catalogue | undefined {
  return cache.peek(collection);
}

/** Where the page shows these openings of this collection. */
export function address(q: string, collection: string): string {
  return href('/openings', { q, collection });
}
