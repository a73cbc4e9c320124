// Common sequences as an icicle: a column per half-move, as tall as the games that played it.

import type { Game } from './db';

export interface Block {
  path: string[];
  san: string;
  /** From 1. */
  column: number;
  /** In games from the top. */
  top: number;
  games: number;
  /** The game that left all others here, of any player. */
  novelty: boolean;
  /** One of the games in it. */
  gameId: number;
}

interface Node {
  games: Game[];
  children: Map<string, Node>;
}

export function icicle(games: readonly Game[], columns: number): Block[] {
  const root: Node = { games: [...games], children: new Map() };
  for (const game of games) {
    let node = root;
    for (const { san } of game.moves.slice(0, columns)) {
      let child = node.children.get(san);
      if (!child) node.children.set(san, (child = { games: [], children: new Map() }));
      child.games.push(game);
      node = child;
    }
  }
  const blocks: Block[] = [];
  const lay = (node: Node, path: string[], top: number) => {
    let at = top;
    for (const [san, child] of [...node.children].sort((a, b) => b[1].games.length - a[1].games.length)) {
      const own = [...path, san];
      const alone = child.games.length === 1;
      const novelty = alone && child.games[0]?.noveltyPlies[0] === own.length;
      const gameId = child.games[0]?.id ?? 0;
      blocks.push({ path: own, san, column: own.length, top: at, games: child.games.length, novelty, gameId });
      // Where a game is alone nothing common is left to show; of one player's games that may be before its novelty.
      if (!alone) lay(child, own, at);
      at += child.games.length;
    }
  };
  lay(root, [], 0);
  return blocks;
}
