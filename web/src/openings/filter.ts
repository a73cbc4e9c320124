// Openings by a few letters of each word: "naj att", "najdrof", "C50", "B20-59".

import type { Entry } from './catalogue';

export interface Hit {
  entry: Entry;
  /** Parts of the name that were asked for, as pairs of offsets. */
  marks: [number, number][];
}

/** All of them by games where nothing is asked; else those that have every word, those written so before those nearly so. */
export function filter(entries: readonly Entry[], query: string): Hit[] {
  const range = codes(query);
  if (range) {
    return byGames(entries.filter((entry) => entry.eco_code >= range[0] && entry.eco_code <= range[1]).map((entry) => ({ entry, marks: [] })));
  }
  const words = plain(query).split(/[^a-z0-9]+/).filter(Boolean);
  if (words.length === 0) return byGames(entries.map((entry) => ({ entry, marks: [] })));
  const exact: Hit[] = [];
  const near: Hit[] = [];
  for (const entry of entries) {
    const found = matched(entry, words);
    if (found) (found.typos === 0 ? exact : near).push({ entry, marks: found.marks });
  }
  // Typing errors are forgiven where nothing is written as asked.
  return byGames(exact.length > 0 ? exact : near);
}

function codes(query: string): [string, string] | undefined {
  const match = /^\s*([a-e])(\d\d?)\s*(?:[-–]\s*([a-e])?(\d\d))?\s*$/i.exec(query);
  if (!match) return undefined;
  const [, letter = '', from = '', toLetter, to] = match;
  const first = letter.toUpperCase() + from;
  if (to) return [first, (toLetter ?? letter).toUpperCase() + to];
  return from.length === 2 ? [first, first] : [`${first}0`, `${first}9`];
}

function byGames(hits: Hit[]): Hit[] {
  return hits.sort((a, b) => b.entry.games.game_count - a.entry.games.game_count || a.entry.name.length - b.entry.name.length);
}

/** Lower case, no accents; as long as the text itself, so that offsets hold in both. */
export function plain(text: string): string {
  return [...text].map((letter) => letter.normalize('NFD').charAt(0).toLowerCase()).join('');
}

function matched(entry: Entry, words: readonly string[]): { marks: [number, number][]; typos: number } | undefined {
  const parts = [...plain(entry.name).matchAll(/[a-z0-9']+/g)].map((match) => ({
    text: match[0].replaceAll("'", ''),
    at: match.index,
    length: match[0].length,
  }));
  const marks: [number, number][] = [];
  let typos = 0;
  let next = 0;
  for (const word of words) {
    if (plain(entry.eco_code).startsWith(word)) continue;
    // In order first, so that "sic naj" marks what one means; then anywhere.
    const order = [...parts.slice(next), ...parts.slice(0, next)];
    const part = order.find((candidate) => candidate.text.startsWith(word)) ?? order.find((candidate) => almost(candidate.text, word));
    if (!part) return undefined;
    const written = part.text.startsWith(word);
    if (!written) typos++;
    marks.push([part.at, part.at + (written ? Math.min(word.length, part.length) : part.length)]);
    next = parts.indexOf(part) + 1;
  }
  return { marks: marks.sort((a, b) => a[0] - b[0]), typos };
}

/** Whether a word is one slip away from the beginning of another: a letter wrong, missing, too many, or two changed over. */
export function almost(text: string, word: string): boolean {
  if (word.length < 4) return false;
  if (text.charAt(0) !== word.charAt(0)) return false;
  return [word.length - 1, word.length, word.length + 1].some((length) => length <= text.length && oneSlip(text.slice(0, length), word));
}

function oneSlip(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

/** The name in pieces, those that were asked for marked. */
export function pieces(name: string, marks: readonly [number, number][]): { text: string; marked: boolean }[] {
  const out: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from < at) continue;
    if (from > at) out.push({ text: name.slice(at, from), marked: false });
    out.push({ text: name.slice(from, to), marked: true });
    at = to;
  }
  if (at < name.length) out.push({ text: name.slice(at), marked: false });
  return out;
}
