import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Chess } from 'chess.js'
import { describe, expect, it } from 'vitest'
import { OpeningTree, type Opening, type OpeningNode } from './openingTree'

const directory = process.env.TABIYA_OPENINGS
if (directory === undefined) throw new Error('TABIYA_OPENINGS names the directory of exported openings')

const INDEX = 'index.json'
const read = (name: string): unknown => JSON.parse(readFileSync(join(directory, name), 'utf8'))
const files = readdirSync(directory).filter((name) => name !== INDEX)
const load = (name: string): OpeningTree => new OpeningTree(read(name) as Opening)

/** The FEN after moves, as the app's own chess library plays them. */
function after(line: string): string {
  const game = new Chess()
  for (const san of line.split(' ').filter(Boolean)) game.move(san)
  return game.fen()
}

/** The same numbers for the same seed, from 0 up to 1. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function nodes(moves: OpeningNode[]): OpeningNode[] {
  return moves.flatMap((node) => [node, ...nodes(node.children ?? [])])
}

describe('the bundle', () => {
  it('is listed by its index', () => {
    const index = read(INDEX) as { format: string; files: { file: string; id: string; entries: number }[] }
    expect(index.format).toBe('json')
    expect(index.files.map(({ file }) => file).sort()).toEqual([...files].sort())
    for (const { file, id, entries } of index.files) {
      const { opening } = load(file)
      expect(opening.id).toBe(id)
      expect(nodes(opening.moves)).toHaveLength(entries)
    }
  })

  it('has files that are small enough', () => {
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(readFileSync(join(directory, file)).length).toBeLessThan(5_000_000)
  })
})

describe('known positions are found by their FEN', () => {
  const known: [file: string, line: string, san: string, name: string | undefined][] = [
    ['italian-game.json', 'e4', 'e4', "King's Pawn Game"],
    ['italian-game.json', 'e4 e5 Nf3 Nc6 Bc4', 'Bc4', 'Italian Game'],
    ['italian-game.json', 'e4 e5 Nf3 Nc6 Bc4 Bc5', 'Bc5', 'Italian Game: Giuoco Piano'],
    ['italian-game.json', 'e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d3', 'd3', undefined],
    ['scandinavian-defense.json', 'e4 d5', 'd5', 'Scandinavian Defense'],
    ['scandinavian-defense.json', 'e4 d5 e5 f5', 'f5', undefined],
    ['sicilian-defense.json', 'e4 c5 Nf3 d6', 'd6', 'Sicilian Defense: Modern, or "Open", Variations'],
    ['queens-gambit.json', 'd4 d5 c4 dxc4 e3 e5 Bxc4 exd4 exd4', 'exd4', undefined],
  ]
  it.each(known)('%s: %s', (file, line, san, name) => {
    const node = load(file).getNode(after(line))
    expect(node?.san).toBe(san)
    expect(node?.commentary).toBe(name)
  })

  it('and others are not', () => {
    const italian = load('italian-game.json')
    expect(italian.getNode(after('a4'))).toBeNull()
    expect(italian.sample(after('a4'))).toBeNull()
    // Another text is another position, even if only a counter differs.
    expect(italian.getNode(after('e4').replace(/1$/, '2'))).toBeNull()
  })
})

describe.each(files)('%s', (file) => {
  const tree = load(file)
  const { opening } = tree

  it('begins where its player does', () => {
    const first = new Chess(opening.rootFen)
    expect(opening.id + '.json').toBe(file)
    expect(first.turn()).toBe(opening.color === 'white' ? 'w' : 'b')
    expect(first.moveNumber()).toBe(1)
    expect(['beginner', 'intermediate', 'advanced']).toContain(opening.difficulty)
    expect(opening.rootResponses).toEqual(opening.moves.map(({ san }) => san))
    if (opening.color === 'white') expect(opening.rootWeights).toEqual([1])
  })

  it('has positions as chess.js plays them', () => {
    const check = (fen: string, moves: OpeningNode[]): void => {
      for (const node of moves) {
        const game = new Chess(fen)
        game.move(node.san)
        expect(node.fen).toBe(game.fen())
        check(node.fen, node.children ?? [])
      }
    }
    check(opening.rootFen, opening.moves)
    expect(tree.size).toBeGreaterThan(0)
  })

  it('has weights that make a whole', () => {
    for (const fen of [opening.rootFen, ...tree.fens]) {
      const responses = tree.responses(fen)
      expect(responses).not.toBeNull()
      const { moves, weights } = responses!
      expect(weights).toHaveLength(moves.length)
      if (moves.length > 0) expect(weights.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 9)
    }
  })

  it('can be played through by sampling, to the end of every line', () => {
    const random = dice(7)
    for (let round = 0; round < 50; round += 1) {
      const game = new Chess(opening.rootFen)
      for (let move = tree.sample(game.fen(), random); move !== null; move = tree.sample(game.fen(), random)) {
        const children = tree.children(game.fen())
        game.move(move)
        const child = children.find(({ san }) => san === move)
        // A response without a child is where the bundle ends.
        if (child === undefined) break
        expect(child.fen).toBe(game.fen())
        expect(tree.getNode(game.fen())).not.toBeNull()
      }
      expect(game.history().length).toBeGreaterThan(0)
    }
  })
})

it('samples as often as was played', () => {
  const italian = load('italian-game.json')
  const fen = after('e4 e5 Nf3 Nc6 Bc4')
  const { moves, weights } = italian.responses(fen)!
  const [random, rounds] = [dice(3), 20_000]
  const counts = new Map(moves.map((move) => [move, 0]))
  for (let round = 0; round < rounds; round += 1) {
    const move = italian.sample(fen, random)!
    counts.set(move, counts.get(move)! + 1)
  }
  expect(moves.slice(0, 2)).toEqual(['Bc5', 'Nf6'])
  for (const [place, move] of moves.entries()) expect(counts.get(move)! / rounds).toBeCloseTo(weights[place]!, 1)
})
