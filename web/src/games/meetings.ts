// Where a game that left the others meets one of them again: the same position by another way.

import { Chess } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import { parseSan } from 'chessops/san';
import type { Game } from './db';

/** A game, and the ply behind which its position is the one that is meant. */
export interface Place {
  game: number;
  ply: number;
}

/** Positions of games by what stands on the board, in which game and behind which ply. */
export class Meetings {
  #places = new Map<string, Place[]>();
  #keys = new Map<number, string[]>();

  add(game: Game): void {
    const chess = Chess.default();
    const keys: string[] = [];
    for (const move of game.moves) {
      const parsed = parseSan(chess, move.san);
      if (!parsed) break;
      chess.play(parsed);
      const key = makeFen(chess.toSetup(), { epd: true });
      keys.push(key);
      const places = this.#places.get(key);
      if (places) places.push({ game: game.id, ply: move.ply });
      else this.#places.set(key, [{ game: game.id, ply: move.ply }]);
    }
    this.#keys.set(game.id, keys);
  }

  /**
   * By ply of this game: where another comes to the same position by other moves, at the first ply of meeting. The other's
   * ply is its own: whoever takes two moves for what can be done in one comes there later.
   */
  of(game: Game): Map<number, Place> {
    const found = new Map<number, Place>();
    const alone = game.noveltyPlies[0];
    if (alone === undefined) return found;
    let together = false;
    (this.#keys.get(game.id) ?? []).forEach((key, index) => {
      const ply = index + 1;
      const other = ply < alone ? undefined : this.#places.get(key)?.find((place) => place.game !== game.id);
      if (other && !together) found.set(ply, other);
      together = other !== undefined;
    });
    return found;
  }
}
