/** One file of an export, and the app's way with it: positions are looked up by the exact text of their FEN. */

export interface OpeningNode {
  san: string
  fen: string
  commentary?: string
  engineResponses: string[]
  responseWeights: number[]
  children?: OpeningNode[]
  stockfish_eval?: number
  best_move?: string
  is_dubious?: boolean
  is_busted?: boolean
  game_count?: number
  white_win_pct?: number
  resulting_structure?: string
}

export interface Opening {
  id: string
  name: string
  eco: string
  color: 'white' | 'black'
  difficulty: 'beginner' | 'intermediate' | 'advanced'
  description: string
  rootFen: string
  rootResponses: string[]
  rootWeights: number[]
  moves: OpeningNode[]
}

/** What may be answered in a position, and how often. */
export interface Responses {
  moves: string[]
  weights: number[]
}

export class OpeningTree {
  readonly #byFen = new Map<string, OpeningNode>()

  constructor(readonly opening: Opening) {
    const todo = [...opening.moves]
    for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
      // Lines meet: whichever of two nodes goes on is the better one to walk from.
      const known = this.#byFen.get(node.fen)
      if (known === undefined || (known.children ?? []).length === 0) this.#byFen.set(node.fen, node)
      todo.push(...(node.children ?? []))
    }
  }

  get size(): number {
    return this.#byFen.size
  }

  get fens(): Iterable<string> {
    return this.#byFen.keys()
  }

  getNode(fen: string): OpeningNode | null {
    return this.#byFen.get(fen) ?? null
  }

  /** Null where the opening knows nothing of a position. */
  responses(fen: string): Responses | null {
    const { rootFen, rootResponses, rootWeights } = this.opening
    if (fen === rootFen) return { moves: rootResponses, weights: rootWeights }
    const node = this.getNode(fen)
    return node && { moves: node.engineResponses, weights: node.responseWeights }
  }

  children(fen: string): OpeningNode[] {
    return fen === this.opening.rootFen ? this.opening.moves : (this.getNode(fen)?.children ?? [])
  }

  /** A response by its weight; `random` is from 0 up to, and without, 1. */
  sample(fen: string, random: () => number = Math.random): string | null {
    const responses = this.responses(fen)
    if (responses === null || responses.moves.length === 0) return null
    let left = random()
    for (const [place, move] of responses.moves.entries()) {
      left -= responses.weights[place] ?? 0
      if (left < 0) return move
    }
    return responses.moves.at(-1) ?? null
  }
}
