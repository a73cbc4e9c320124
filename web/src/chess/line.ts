// A line of moves from a position: what the board shows, what the address holds, and what is written under the board.

import { Chess, castlingSide, normalizeMove } from 'chessops/chess';
import { INITIAL_FEN, makeFen, parseFen } from 'chessops/fen';
import { makeSan, parseSan } from 'chessops/san';
import type { Color, Move } from 'chessops/types';
import { kingCastlesTo, makeUci, parseUci } from 'chessops/util';

export { INITIAL_FEN };

export interface Ply {
  san: string;
  uci: string;
  /** The position behind the move. */
  fen: string;
  /** The number of the move, and whether White played it. */
  number: number;
  white: boolean;
}

export interface Line {
  start: string;
  plies: Ply[];
}

export class LineError extends Error {}

export function position(fen: string): Chess {
  const setup = parseFen(fen.trim().replaceAll('_', ' '));
  if (setup.isErr) throw new LineError(`“${fen}” is not a FEN`);
  const chess = Chess.fromSetup(setup.value);
  if (chess.isErr) throw new LineError(`“${fen}” cannot be played: ${reason(chess.error.message)}`);
  return chess.value;
}

function reason(code: string): string {
  switch (code) {
    case 'ERR_EMPTY':
      return 'the board is empty';
    case 'ERR_KINGS':
      return 'each side has to have one king';
    case 'ERR_OPPOSITE_CHECK':
      return 'the side that just moved is in check';
    case 'ERR_PAWNS_ON_BACKRANK':
      return 'a pawn stands on the first or last rank';
    default:
      return 'it cannot come about';
  }
}

export function fenOf(chess: Chess): string {
  return makeFen(chess.toSetup());
}

/** UCI as the server writes it: castling is the king going two squares, not taking its rook. */
export function uciOf(chess: Chess, move: Move): string {
  const side = castlingSide(chess, move);
  if (side && 'from' in move) return makeUci({ from: move.from, to: kingCastlesTo(chess.turn, side) });
  return makeUci(move);
}

/** Plays a move on `chess` and says what was played. */
export function play(chess: Chess, move: Move): Ply {
  const number = chess.fullmoves;
  const white = chess.turn === 'white';
  const san = makeSan(chess, move);
  const uci = uciOf(chess, move);
  chess.play(move);
  return { san, uci, fen: fenOf(chess), number, white };
}

function legal(chess: Chess, move: Move | undefined): move is Move {
  return move !== undefined && chess.isLegal(normalizeMove(chess, move));
}

/** Without the castling that only Chess960 has: the server answers nothing behind it, so it is not offered. */
function withoutChess960(chess: Chess): Chess {
  for (const rook of chess.castles.castlingRights) {
    const [color, home]: [Color, number] = rook < 8 ? ['white', 4] : ['black', 60];
    const usual = chess.board.kingOf(color) === home && (rook === home - 4 || rook === home + 3);
    if (!usual) chess.castles.discardRook(rook);
  }
  return chess;
}

/** The line of these moves in UCI; what comes behind a move that cannot be played is refused with it. */
export function lineOfUci(moves: readonly string[], start = INITIAL_FEN): Line {
  const chess = withoutChess960(position(start));
  const begun = fenOf(chess);
  const plies = moves.map((uci) => {
    const move = parseUci(uci);
    if (!legal(chess, move)) throw new LineError(`“${uci}” cannot be played in ${fenOf(chess)}`);
    return play(chess, move);
  });
  return { start: begun, plies };
}

export function lineOfSan(moves: readonly string[], start = INITIAL_FEN): Line {
  const chess = position(start);
  const plies = moves.map((san) => {
    const move = parseSan(chess, san);
    if (!move) throw new LineError(`“${san}” cannot be played in ${fenOf(chess)}`);
    return play(chess, move);
  });
  return { start, plies };
}

/** As much of the line as can be played: a typing error at its end does not take the rest away. */
export function longestOfSan(moves: readonly string[], start = INITIAL_FEN): Line {
  const chess = position(start);
  const plies: Ply[] = [];
  for (const san of moves) {
    const move = parseSan(chess, san);
    if (!move) break;
    plies.push(play(chess, move));
  }
  return { start, plies };
}

/** "1.e4 e5 2.Nf3" and the like, without numbers, comments and results. */
export function lineOfText(text: string, start = INITIAL_FEN): Line {
  const words = text
    .replaceAll(/\{[^}]*\}|\([^)]*\)|\$\d+/g, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^\d+\.*/, '').replace(/[!?]+$/, ''))
    .filter((word) => word !== '' && !/^(1-0|0-1|-0|-1|1\/2-1\/2|\/2-1\/2|\*|…|\.+)$/.test(word));
  return lineOfSan(words, start);
}

/** The position after so many plies. */
export function fenAt(line: Line, ply: number): string {
  return ply <= 0 ? line.start : (line.plies[Math.min(ply, line.plies.length) - 1]?.fen ?? line.start);
}

/** "4.d3" and "3…Bc5": a move as it is spoken of alone. */
export function numbered(ply: Pick<Ply, 'san' | 'number' | 'white'>): string {
  return `${ply.number}${ply.white ? '.' : '…'}${ply.san}`;
}

/** "1.e4 e5 2.Nf3": moves one after another, the first with its number whoever plays it. */
export function written(plies: readonly Ply[]): string {
  return plies.map((ply, index) => (ply.white || index === 0 ? numbered(ply) : ply.san)).join(' ');
}

/** The name of a half-move in a game from the initial position: ply 1 is 1.e4. */
export function numberedPly(ply: number, san: string): string {
  return numbered({ san, number: Math.ceil(ply / 2), white: ply % 2 === 1 });
}
