// All openings with their games, and the games of all 500 codes, in one answer.

import { Cache } from '../api/cache';
import { type Schema, answer, client } from '../api/client';

export type Catalogue = Schema['Openings'];
export type Code = Schema['CodeEntry'];
export type Entry = Schema['OpeningGames'];

const cache = new Cache<Catalogue>(4);

export function catalogue(): Promise<Catalogue> {
  return cache.get('', () => answer(client.GET('/openings')));
}

export function peekCatalogue(): Catalogue | undefined {
  return cache.peek('');
}
