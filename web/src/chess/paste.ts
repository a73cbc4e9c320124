// What somebody pastes or types: a FEN, a game or a line of moves, one move on the board, or a name to look for.

import { parsePgn, startingPosition } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { type Line, fenOf, longestOfSan, position, uciOf } from './line';

export type Pasted =
  | { kind: 'fen'; fen: string }
  | { kind: 'line'; line: Line; whole: boolean }
  | { kind: 'move'; san: string; uci: string }
  | { kind: 'words' };

/** `here` is the position on the board, for a single move. */
export function read(text: string, here?: string): Pasted {
  const trimmed = text.trim();
  return fen(trimmed) ?? (here ? move(trimmed, here) : undefined) ?? game(trimmed) ?? { kind: 'words' };
}

function fen(text: string): Pasted | undefined {
  if (!/^[pnbrqkPNBRQK1-8]+(\/[pnbrqkPNBRQK1-8]+){7}([ _][wb]|$)/.test(text)) return undefined;
  try {
    return { kind: 'fen', fen: fenOf(position(text)) };
  } catch {
    return undefined;
  }
}

function move(text: string, here: string): Pasted | undefined {
  // A word of small letters is a name first ("b4" is not): bishops are written large.
  if (!/^([a-h][1-8]|[a-h]x[a-h][1-8]|[KQRBN][a-h1-8]?x?[a-h][1-8]|O-O(-O)?)(=[QRBN])?[+#]?$/.test(text)) return undefined;
  const chess = position(here);
  const found = parseSan(chess, text);
  return found ? { kind: 'move', san: text, uci: uciOf(chess, found) } : undefined;
}

function game(text: string): Pasted | undefined {
  if (!/(^|\s|\])(\d+\.|[a-h][1-8]\s|\[[A-Z])/.test(text)) return undefined;
  const parsed = parsePgn(text)[0];
  if (!parsed) return undefined;
  const start = startingPosition(parsed.headers);
  if (start.isErr) return undefined;
  const sans = [...parsed.moves.mainline()].map((node) => node.san);
  const line = longestOfSan(sans, fenOf(start.value as ReturnType<typeof position>));
  if (line.plies.length === 0) return undefined;
  return { kind: 'line', line, whole: line.plies.length === sans.length };
}
