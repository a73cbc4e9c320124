// Numbers as people read them: 45.2k, 38 %, +0.32, #-3.

const THIN = '\u2009';
const MINUS = '\u2212';

/** 414, 1.4k, 45.2k, 772k, 1.9M. */
export function count(n: number): string {
  if (n < 1000) return String(n);
  if (n < 99_950) return `${(n / 1000).toFixed(1)}k`;
  if (n < 999_500) return `${Math.round(n / 1000)}k`;
  if (n < 9_995_000) return `${(n / 1_000_000).toFixed(2).replace(/0$/, '')}M`;
  return n < 99_950_000 ? `${(n / 1_000_000).toFixed(1)}M` : `${Math.round(n / 1_000_000)}M`;
}

/** 4,645: where there is room for all of it. */
export function exact(n: number): string {
  return n.toLocaleString('en-US');
}

export function games(n: number): string {
  return `${count(n)} ${n === 1 ? 'game' : 'games'}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${exact(n)} ${n === 1 ? one : many}`;
}

/** A whole percentage with a thin space; what is there but rounds to nothing is "< 1 %". */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (value > 0 && value < 1) return `<${THIN}1${THIN}%`;
  return `${Math.round(value)}${THIN}%`;
}

/** Centipawns or a mate from White's point of view: +0.32, −0.18, 0.00, #3, #-3. Checkmate on the board is #. */
export function evaluation(cp: number | null | undefined, mate?: number | null): string {
  if (mate === 0) return '#';
  if (mate !== null && mate !== undefined) return `#${mate}`;
  if (cp === null || cp === undefined) return '';
  const pawns = (Math.abs(cp) / 100).toFixed(2);
  if (pawns === '0.00') return pawns;
  return `${cp > 0 ? '+' : MINUS}${pawns}`;
}

/** White's expected points, 0 to 1, by the review's curve. */
export function expectedPoints(cp: number | null | undefined, mate?: number | null): number {
  // Where the game is over the mate is in none, and the evaluation alone says whose it was.
  const won = mate === 0 ? cp : mate;
  if (mate !== null && mate !== undefined && won) return won > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-0.0035 * (cp ?? 0)));
}

/** 1-0 as it is printed: 1–0, 0–1, ½–½, *. */
export function result(text: string): string {
  if (text === '1/2-1/2') return '½–½';
  return text.replace('-', '–');
}

/** The year of 2024.03.01 or 1984-09-10; nothing where it is unknown. */
export function year(date: string): string {
  return /^\d{4}/.exec(date)?.[0] ?? '';
}

/** The last name of "Carlsen, Magnus" and of "Magnus Carlsen"; a nickname stays as it is. */
export function surname(name: string): string {
  const comma = name.indexOf(',');
  if (comma > 0) return name.slice(0, comma);
  const words = name.trim().split(/\s+/);
  return words.length > 1 && words.length < 4 ? (words.at(-1) ?? name) : name;
}

/** Names of openings with the apostrophe of print. */
export function typeset(name: string): string {
  return name.replaceAll("'", '\u2019');
}
