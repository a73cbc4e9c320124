// What a move leads to, said shortly: only what is new beside the name we already stand at.

import type { Schema } from '../api/client';
import { typeset } from '../format';

type Name = Schema['Name'];

export function becomes(to: Name | null | undefined, from: Name | null | undefined): string {
  if (!to || to.name === from?.name) return '';
  if (to.opening_name !== from?.opening_name) return typeset(to.name);
  const variation = to.variation_name ?? to.name;
  const shared = from.variation_name ? `${from.variation_name}, ` : '';
  return typeset(shared && variation.startsWith(shared) ? variation.slice(shared.length) : variation);
}
