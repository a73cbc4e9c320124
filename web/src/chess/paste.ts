// What somebody pastes or types: a FEN, a game or a line of moves, one move on the board, or a name to look for.

import { parsePgn, startingPosition } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { type Line, LineError, fenOf, longestOfSan, position, uciOf } from './line';

export type Pasted =
  | { kind: 'fen'; fen: string }
  | { kind: 'line'; line: Line; whole: boolean }
  | { kind: 'move'; san: string; uci: string }
  | { kind: 'words' }
  /** A position or a line beyond doubt, but not one that can be played. */
  | { kind: 'wrong'; why: string };

/** `here` is the position on the board, for a single move. */
export function read(text: string, here?: string): Pasted {
  const trimmed = lettered(text.trim());
  return fen(trimmed) ?? (here ? move(trimmed, here) : undefined) ?? game(trimmed) ?? { kind: 'words' };
}

const CHESSMEN = '♔♕♖♗♘♙♚♛♜♝♞♟';

/** Moves as this page writes them with figurines: letters for the pieces, nothing for a pawn. */
function lettered(text: string): string {
  return text.replaceAll(/([♔-♟])[\uFE0E\uFE0F]?/g, (_, piece: string) => 'KQRBN'.charAt(CHESSMEN.indexOf(piece) % 6));
}

function fen(text: string): Pasted | undefined {
  if (!/^[pnbrqk\d]+(\/[pnbrqk\d]+){3,}([ _]|$)/i.test(text)) return undefined;
  try {
    return { kind: 'fen', fen: fenOf(position(text)) };
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return { kind: 'wrong', why: error.message };
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
  if (start.isErr) return { kind: 'wrong', why: 'the position this game begins with cannot be played' };
  const sans = [...parsed.moves.mainline()].map((node) => node.san);
  const line = longestOfSan(sans, fenOf(start.value as ReturnType<typeof position>));
  if (line.plies.length === 0) {
    // Without a number before it, it may be a name.
    if (!/^(\d+\.+\s*[^\s.]|\[)/.test(text)) return undefined;
    if (sans[0]) return { kind: 'wrong', why: `“${sans[0]}” cannot be played as the first move` };
    return text.startsWith('[') ? undefined : { kind: 'wrong', why: `“${text}” is not a line of moves` };
  }
  return { kind: 'line', line, whole: line.plies.length === sans.length };
}
