// The review as `tabiya review --format json` writes it, turned into what the page shows. Only this file knows its fields.

import { Failure } from '../api/client';
import { evaluation as written, expectedPoints, result as printed } from '../format';

export const CLASSES = ['brilliant', 'critical', 'best', 'excellent', 'okay', 'inaccuracy', 'mistake', 'blunder', 'forced', 'theory'] as const;

export type Class = (typeof CLASSES)[number];

/** Classes that are marked in lists and graphs; the others are quiet. */
export const LOUD: ReadonlySet<Class> = new Set(['brilliant', 'critical', 'inaccuracy', 'mistake', 'blunder']);

export const BAD: ReadonlySet<Class> = new Set(['inaccuracy', 'mistake', 'blunder']);

interface WireEvaluation {
  type: 'centipawn' | 'mate';
  value: number;
  winner?: 'white' | 'black';
}

interface WireMove {
  mainline?: boolean;
  ply: number;
  moveNumber: number;
  moveColor: 'white' | 'black';
  san: string;
  uci: string;
  fenBefore: string;
  fenAfter: string;
  classification: string | null;
  accuracy: number | null;
  evaluation: WireEvaluation | null;
  previousEvaluation?: WireEvaluation | null;
  topMove?: { san: string; uci: string } | null;
  reason?: string | null;
  explanation?: { text: string; best?: { san: string; uci: string } | null; bestLine: string[] } | null;
}

interface WireSide {
  name: string;
  accuracy: number | null;
  counts: Record<string, number>;
}

export interface WireReview {
  tags: Record<string, string>;
  result: string;
  initialPosition: string;
  opening: { eco: string; name: string } | null;
  white: WireSide;
  black: WireSide;
  moves: WireMove[];
}

/** What an engine says of a position, from White's point of view; nothing where it was not asked. */
export interface Value {
  cp: number | null;
  mate: number | null;
  /** White's expected points, 0 to 1. */
  points: number | null;
}

export interface Judged extends Value {
  ply: number;
  number: number;
  white: boolean;
  san: string;
  uci: string;
  before: string;
  after: string;
  class: Class | null;
  /** "+3.93", "#4", "1–0" behind the last move of a mate. */
  value: string;
  valueBefore: string;
  /** What the engine would have played, where that is something else. */
  best: { san: string; uci: string } | null;
  bestLine: string[];
  sentence: string;
}

export interface SideSummary {
  name: string;
  accuracy: number | null;
  counts: Record<Class, number>;
}

export interface Review {
  tags: Record<string, string>;
  result: string;
  start: string;
  /** Of the position it starts from. */
  begun: Value;
  opening: { eco: string; name: string } | null;
  sides: [SideSummary, SideSummary];
  moves: Judged[];
}

/** Of one game; of a report over a file, its first. */
export function reviewOf(wire: WireReview | { games: WireReview[] }): Review {
  const game = 'games' in wire ? wire.games[0] : wire;
  if (!game) throw new Failure('There is no game in it.', 'Paste a game with at least one move.');
  return {
    tags: game.tags,
    result: game.result,
    start: game.initialPosition,
    begun: measured(game.moves[0]?.previousEvaluation ?? null),
    opening: game.opening,
    sides: [side(game.white), side(game.black)],
    moves: game.moves.filter((move) => move.mainline !== false).map((move) => judged(move, game.result)),
  };
}

function side(wire: WireSide): SideSummary {
  const counts = Object.fromEntries(CLASSES.map((name) => [name, wire.counts[name] ?? 0])) as Record<Class, number>;
  return { name: wire.name, accuracy: wire.accuracy, counts };
}

function judged(move: WireMove, result: string): Judged {
  const { cp, mate, points } = measured(move.evaluation);
  const other = move.topMove && move.topMove.uci !== move.uci ? move.topMove : null;
  const over = move.evaluation?.type === 'mate' && move.evaluation.value === 0;
  return {
    ply: move.ply,
    number: move.moveNumber,
    white: move.moveColor === 'white',
    san: move.san,
    uci: move.uci,
    before: move.fenBefore,
    after: move.fenAfter,
    class: CLASSES.find((name) => name === move.classification) ?? null,
    value: over ? printed(result) : written(cp, mate),
    valueBefore: text(move.previousEvaluation ?? null),
    cp,
    mate,
    points,
    best: move.explanation?.best ?? other,
    bestLine: move.explanation?.bestLine ?? (other ? [other.san] : []),
    sentence: move.explanation?.text ?? move.reason ?? '',
  };
}

function measured(evaluation: WireEvaluation | null): Value {
  if (!evaluation) return { cp: null, mate: null, points: null };
  if (evaluation.type === 'centipawn') return { cp: evaluation.value, mate: null, points: expectedPoints(evaluation.value) };
  const won = evaluation.value === 0 ? evaluation.winner === 'white' : evaluation.value > 0;
  return { cp: won ? 1000 : -1000, mate: evaluation.value, points: won ? 1 : 0 };
}

function text(evaluation: WireEvaluation | null): string {
  const { cp, mate } = measured(evaluation);
  return written(cp, mate);
}
