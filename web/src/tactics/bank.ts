// The tactics bank: positions with the moves that solve them.

import { type Schema, answer, client } from '../api/client';

export type Tactic = Schema['TacticEntry'];
export type Batch = Schema['Tactics'];
export type Themes = Schema['Themes'];

export interface Asked {
  motif: string;
  source: string;
}

export function batch(asked: Asked, after: string | null): Promise<Batch> {
  const query = {
    limit: 20,
    ...(asked.motif ? { motif: asked.motif } : {}),
    ...(asked.source ? { source: asked.source } : {}),
    ...(after ? { after } : {}),
  };
  return answer(client.GET('/tactics', { params: { query } }));
}

/** What can be asked for, the most frequent first. */
export function themes(): Promise<Themes> {
  return answer(client.GET('/tactics/themes'));
}
