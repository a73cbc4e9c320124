// One opening with its tree: two questions at once.

import { Cache } from '../api/cache';
import { type Schema, answer, client } from '../api/client';
import { type Ply, lineOfText } from '../chess/line';
import { type Node, descend } from './tree';

export interface Opening {
  entry: Schema['OpeningEntry'];
  line: Ply[];
  /** The node of its own position; null where no tree was kept. */
  root: Node | null;
}

const cache = new Cache<Opening>(40);

export function opening(slug: string): Promise<Opening> {
  return cache.get(slug, async () => {
    const path = { id: slug };
    const [entry, tree] = await Promise.all([
      answer(client.GET('/opening/{id}', { params: { path } })),
      answer(client.GET('/opening/{id}/tree', { params: { path } })),
    ]);
    const line = lineOfText(entry.line).plies;
    return { entry, line, root: descend(tree.moves, line.map((ply) => ply.san)) ?? null };
  });
}

export function peekOpening(slug: string): Opening | undefined {
  return cache.peek(slug);
}
