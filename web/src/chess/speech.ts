// A move as a screen reader says it: "White knight to f3".

import type { Ply } from './line';

const PIECES: Record<string, string> = { K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight' };

export function spoken(ply: Pick<Ply, 'san' | 'white'>, name?: string | null): string {
  const side = ply.white ? 'White' : 'Black';
  return `${side} ${deed(ply.san)}${name ? `, ${name}` : ''}`;
}

function deed(san: string): string {
  const end = san.endsWith('#') ? ', checkmate' : san.endsWith('+') ? ', check' : '';
  const move = san.replace(/[+#]$/, '');
  if (move === 'O-O') return `castles short${end}`;
  if (move === 'O-O-O') return `castles long${end}`;
  const piece = PIECES[move.charAt(0)] ?? 'pawn';
  const [path = '', promotion] = move.split('=');
  const square = path.slice(-2);
  const verb = path.includes('x') ? 'takes on' : 'to';
  return `${piece} ${verb} ${square}${promotion ? ` and becomes a ${PIECES[promotion]}` : ''}${end}`;
}
