import { typeset } from '../format';

/** The engine's reason as a sentence: a move may begin it, nothing else is written small there. */
export function sentence(text: string): string {
  const set = typeset(text.trim());
  if (set === '') return '';
  const [first = ''] = set.split(' ');
  const begun = /^[a-z]+$/.test(first) ? set[0]!.toUpperCase() + set.slice(1) : set;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
