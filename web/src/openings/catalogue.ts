// All openings with their games, and the games of all 500 codes, in one answer; of one collection, or of all.

import { Cache } from '../api/cache';
import { type Schema, answer, client } from '../api/client';
import { href } from '../router.svelte';

export type Catalogue = Schema['Openings'] & { collections: Schema['Collection'][] };
export type Code = Schema['CodeEntry'];
export type Entry = Schema['OpeningGames'];

const cache = new Cache<Catalogue>(4);

export function catalogue(collection: string): Promise<Catalogue> {
  return cache.get(collection, async () => {
    const query = collection === '' ? {} : { collection };
    const [openings, { collections }] = await Promise.all([answer(client.GET('/openings', { params: { query } })), answer(client.GET('/stats'))]);
    return { ...openings, collections: collections.filter(({ games }) => games > 0) };
  });
}

export function peekCatalogue(collection: string): Catalogue | undefined {
  return cache.peek(collection);
}

/** Where the page shows these openings of this collection. */
export function address(q: string, collection: string): string {
  return href('/openings', { q, collection });
}
