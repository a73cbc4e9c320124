// The five volumes of the ECO code, what stands where in them, and how dark a cell is.

import type { Code } from './catalogue';

export interface Range {
  from: number;
  to: number;
  name: string;
}

export interface Volume {
  letter: string;
  title: string;
  index: Range[];
}

function index(text: string): Range[] {
  return text.split('; ').map((entry) => {
    const [, from = '', to = '', name = ''] = /^(\d\d)-(\d\d) (.*)$/.exec(entry) ?? [];
    return { from: Number(from), to: Number(to), name };
  });
}

export const VOLUMES: Volume[] = [
  {
    letter: 'A',
    title: 'Flank openings',
    index: index('00-03 Larsen, Bird, others; 04-09 Réti; 10-39 English; 40-50 Queen’s pawn games; 51-79 Benoni, Budapest; 80-99 Dutch'),
  },
  {
    letter: 'B',
    title: 'Semi-open games',
    index: index('00-01 Scandinavian, others; 02-05 Alekhine; 06-09 Pirc, Modern; 10-19 Caro-Kann; 20-59 Sicilian; 60-99 Rauzer to Najdorf'),
  },
  {
    letter: 'C',
    title: 'Open games, French',
    index: index('00-19 French; 20-29 Vienna, Bishop’s; 30-39 King’s Gambit; 40-49 Petrov, Scotch, others; 50-59 Italian, Two Knights; 60-99 Ruy Lopez'),
  },
  {
    letter: 'D',
    title: 'Closed games',
    index: index('00-09 London, others; 10-19 Slav; 20-29 Gambit Accepted; 30-42 Gambit Declined; 43-69 Semi-Slav, Orthodox; 70-99 Grünfeld'),
  },
  {
    letter: 'E',
    title: 'Indian defenses',
    index: index('00-09 Catalan; 10-11 Bogo-Indian; 12-19 Queen’s Indian; 20-39 Nimzo-Indian; 40-59 Nimzo, Rubinstein; 60-99 King’s Indian'),
  },
];

export function codeName(letter: string, number: number): string {
  return letter + String(number).padStart(2, '0');
}

/** Games of a range of codes. */
export function gamesIn(codes: ReadonlyMap<string, Code>, letter: string, from = 0, to = 99): number {
  let sum = 0;
  for (let number = from; number <= to; number++) sum += codes.get(codeName(letter, number))?.games.game_count ?? 0;
  return sum;
}

/** Where each of the six steps begins: even on a logarithmic scale up to the most played code. */
export function steps(codes: Iterable<Code>): number[] {
  let most = 1;
  for (const code of codes) most = Math.max(most, code.games.game_count);
  return [0, 1, 2, 3, 4, 5].map((step) => Math.max(1, Math.round(most ** (step / 6))));
}

/** The steps that some number of games comes to: with few games several begin with the same, and the last of them counts. */
export function shades(from: readonly number[]): number[] {
  return from.map((_, index) => index + 1).filter((step) => from[step] !== from[step - 1]);
}

/** 0 without games, then 1 to 6. */
export function heat(games: number, from: readonly number[]): number {
  if (games <= 0) return 0;
  return from.reduce((step, least, number) => (games >= least ? number + 1 : step), 1);
}
