// Everything about a position, asked for once per position and collection.

import { INITIAL_FEN } from '../chess/line';
import { Cache } from './cache';
import { Failure, type Position, type Schema, answer, client } from './client';

export interface Asked {
  start: string;
  play: readonly string[];
  collection: string;
}

export type Known =
  | { known: true; position: Position }
  /** No game came here: what it is called all the same, and how many of the moves lead to something known. */
  | { known: false; name: Schema['Located'] | null; lastPly: number | null; hint: string };

// What no game reached yet may be reached by the next build.
const cache = new Cache<Known>(400, (value) => value.known);

function key(asked: Asked): string {
  return `${asked.collection}|${asked.start}|${asked.play.join(',')}`;
}

export function peek(asked: Asked): Known | undefined {
  return cache.peek(key(asked));
}

export function get(asked: Asked): Promise<Known> {
  return cache.get(key(asked), () => fetched(asked));
}

async function fetched(asked: Asked): Promise<Known> {
  const query = {
    ...(asked.start === INITIAL_FEN ? {} : { fen: asked.start }),
    ...(asked.play.length === 0 ? {} : { play: asked.play.join(',') }),
    ...(asked.collection === '' ? {} : { collection: asked.collection }),
  };
  try {
    return { known: true, position: await answer(client.GET('/position', { params: { query } })) };
  } catch (error) {
    if (!(error instanceof Failure) || error.problem?.code !== 'unknown-position') throw error;
    return {
      known: false,
      name: error.problem.position ?? null,
      lastPly: error.problem.last_known?.ply ?? null,
      hint: error.hint,
    };
  }
}
