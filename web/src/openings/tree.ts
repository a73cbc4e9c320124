// An opening's tree as rows that fold, and what its lines end in.

import type { Schema } from '../api/client';
import { type Ply, lineOfSan } from '../chess/line';

export type Node = Schema['AppNode'];

export interface Row {
  /** SANs from the opening's position, joined: the row's name among the folds. */
  path: string;
  san: string;
  depth: number;
  white: boolean;
  number: number;
  node: Node;
  /** What it is called, where that is new at this move. */
  name: string;
  folds: boolean;
  open: boolean;
}

/** The node at the end of a line, and all moves to it; the tree begins at or before the line's first move. */
export function descend(roots: readonly Node[], sans: readonly string[]): Node | undefined {
  let level: readonly Node[] = roots;
  let found: Node | undefined;
  // A tree for Black begins after White's first move.
  const skip = roots.some((node) => node.san === sans[0]) ? 0 : 1;
  for (const san of sans.slice(skip)) {
    found = level.find((node) => node.san === san);
    if (!found) return undefined;
    level = found.children ?? [];
  }
  return found;
}

export function byGames(nodes: readonly Node[] | null | undefined): Node[] {
  return [...(nodes ?? [])].sort((a, b) => (b.game_count ?? 0) - (a.game_count ?? 0));
}

/** Unfolded at first are moves that at least a sixth of the opening's games play, and what is chosen otherwise later. */
export function rows(root: Node, chosen: ReadonlyMap<string, boolean>): Row[] {
  const enough = Math.max(2, (root.game_count ?? 0) / 6);
  const out: Row[] = [];
  const walk = (parent: Node, path: string, depth: number) => {
    for (const node of byGames(parent.children)) {
      const own = path ? `${path} ${node.san}` : node.san;
      const folds = (node.children?.length ?? 0) > 0;
      const open = folds && (chosen.get(own) ?? (depth < 3 && (node.game_count ?? 0) >= enough));
      const [, turn, , , , full] = node.fen.split(' ');
      const white = turn === 'b';
      const name = node.commentary && node.commentary !== parent.commentary ? node.commentary : '';
      out.push({ path: own, san: node.san, depth, white, number: Number(full) - (white ? 0 : 1), node, name, folds, open });
      if (open) walk(node, own, depth + 1);
    }
  };
  walk(root, '', 0);
  return out;
}

export interface Ending {
  name: string;
  games: number;
  /** The most played of its positions. */
  fen: string;
  path: string;
  positions: number;
}

/** The structures that lines of the tree end in, the most played first. */
export function endings(root: Node): Ending[] {
  const found = new Map<string, Ending & { best: number }>();
  const walk = (node: Node, path: string) => {
    const name = node.resulting_structure;
    const games = node.game_count ?? 0;
    if (name && name !== 'Unknown') {
      const ending = found.get(name) ?? { name, games: 0, fen: node.fen, path, positions: 0, best: -1 };
      ending.games += games;
      ending.positions++;
      if (games > ending.best) Object.assign(ending, { best: games, fen: node.fen, path });
      found.set(name, ending);
    }
    for (const child of node.children ?? []) walk(child, path ? `${path} ${child.san}` : child.san);
  };
  walk(root, '');
  return [...found.values()].sort((a, b) => b.games - a.games || b.positions - a.positions).map(({ best: _, ...ending }) => ending);
}

/** UCI of a line and the path behind it, for the explorer's address. */
export function playOf(line: readonly Ply[], path: string): string {
  const sans = [...line.map((ply) => ply.san), ...path.split(' ').filter(Boolean)];
  return lineOfSan(sans).plies.map((ply) => ply.uci).join(',');
}
