// What the Games page asks of db.json, looked up instead of searched for.

import { type Line, lineOfSan, numberedPly } from '../chess/line';
import { surname, typeset, year } from '../format';
import type { Branch, Db, Game, Move, Novelty } from './db';

export interface Fork {
  san: string;
  gameCount: number;
  /** A game that went that way. */
  gameId: number | null;
}

export class Book {
  /** In the order they were played, undated ones last: what comes first is the first time. */
  readonly games: Game[];
  readonly novelties: Novelty[];
  /** All names, those with the most games first. */
  readonly players: string[];
  /** The surnames, where all games are between the same two; in the order of the file. */
  readonly duel: [string, string] | null;
  /** Whose games these are, where they are not all. */
  readonly of: string | null;
  readonly #whole: Book;
  #branches: Map<string, Branch>;
  #lines = new Map<number, Line>();
  #numbers = new Map<number, number>();

  /** All games of a file; with `narrowed`, those of a book that one player played, under the numbers they have there. */
  constructor(
    readonly db: Db,
    narrowed?: { whole: Book; of: string },
  ) {
    this.#whole = narrowed?.whole ?? this;
    this.of = narrowed?.of ?? null;
    this.games = [...db.games].sort((a, b) => (a.date || '9').localeCompare(b.date || '9') || a.id - b.id);
    this.games.forEach((game, index) => this.#numbers.set(game.id, narrowed?.whole.number(game.id) ?? index + 1));
    this.novelties = db.novelties;
    this.#branches = new Map(db.branches.map((branch) => [branch.path.join(' '), branch]));
    const counts = new Map<string, number>();
    for (const game of db.games) {
      for (const name of [game.white, game.black]) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    this.players = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
    // A match is told by surnames: collections write "Kasparov, Gary", "Kasparov, G" and "Garry Kasparov" side by side.
    const names = new Set([...db.meta.players, ...this.players].filter(Boolean).map(surname));
    const [first, second] = names;
    this.duel = narrowed ? narrowed.whole.duel : names.size === 2 && first && second ? [first, second] : null;
  }

  /** Whom the games can be narrowed to. */
  get choices(): string[] {
    return this.#whole.duel ?? this.#whole.players;
  }

  /** Whether a name is the chosen one's: two players are told apart by their surnames, many by what stands there. */
  #same(name: string, chosen: string): boolean {
    return (this.duel ? surname(name) : name) === chosen;
  }

  /** The games of one player and what was new in them; all of them where nobody of that name played. */
  narrowed(player: string): Book {
    if (!this.choices.includes(player)) return this.#whole;
    const games = this.#whole.games.filter((game) => this.#same(game.white, player) || this.#same(game.black, player));
    const novelties = this.#whole.novelties.filter((novelty) => this.#same(novelty.playedBy, player));
    return new Book({ ...this.#whole.db, games, novelties }, { whole: this.#whole, of: player });
  }

  /** The game with a number of this page, from 1. */
  nth(number: number): Game | undefined {
    return this.#whole.games[number - 1];
  }

  /** The game so many further on, of those in here; the nearest where the given one is not. */
  beside(game: Game, by: 1 | -1): Game | undefined {
    const number = this.number(game.id);
    return by > 0 ? this.games.find((other) => this.number(other.id) > number) : this.games.findLast((other) => this.number(other.id) < number);
  }

  /** Which game it is on this page, from 1. */
  number(id: number): number {
    return this.#whole.#numbers.get(id) ?? 0;
  }

  game(id: number): Game | undefined {
    return this.nth(this.number(id));
  }

  /** The positions of a game, worked out when it is first looked at. */
  line(game: Game): Line {
    let line = this.#lines.get(game.id);
    if (!line) {
      line = lineOfSan(game.moves.map((move) => move.san));
      this.#lines.set(game.id, line);
    }
    return line;
  }

  /** What else was played instead of a game's move. */
  forks(game: Game, move: Move): Fork[] {
    if (!move.isBranchPoint) return [];
    const path = game.moves.slice(0, move.ply - 1).map((played) => played.san);
    const branch = this.#branches.get(path.join(' '));
    if (!branch) return [];
    return branch.continuations
      .filter((other) => other.san !== move.san)
      .map((other) => ({ ...other, gameId: this.#gameWith([...path, other.san]) }));
  }

  #gameWith(path: readonly string[]): number | null {
    return this.games.find((game) => path.every((san, index) => game.moves[index]?.san === san))?.id ?? null;
  }

  /** Wins of the first, draws, wins of the second: of the two players, of the chosen one and the others, or of White and Black. */
  tally(games: readonly Game[] = this.games): { up: number; drawn: number; down: number } {
    const tally = { up: 0, drawn: 0, down: 0 };
    for (const game of games) {
      const side = this.side(game);
      if (side > 0) tally.up++;
      else if (side < 0) tally.down++;
      else if (game.result === '1/2-1/2') tally.drawn++;
    }
    return tally;
  }

  /** Who won: 1 the first of `sides`, -1 the second, 0 nobody. */
  side(game: Game): -1 | 0 | 1 {
    if (game.result !== '1-0' && game.result !== '0-1') return 0;
    const winner = game.result === '1-0' ? game.white : game.black;
    const first = this.duel?.[0] ?? this.of;
    return (first === null ? winner === game.white : this.#same(winner, first)) ? 1 : -1;
  }

  get sides(): [string, string] {
    return this.duel ?? (this.of === null ? ['White', 'Black'] : [surname(this.of), 'others']);
  }

  get title(): string {
    if (this.duel) return this.sides.join(' – ');
    if (this.of !== null) return surname(this.of);
    return this.games.length === 1 ? pairing(this.games[0]!) : `${this.games.length} games`;
  }

  /** "192 games, 1981–2009. Kasparov won 39, Karpov 24, and 129 were drawn." */
  get summary(): string {
    const years = this.games.map((game) => year(game.date)).filter(Boolean).sort();
    const [first, last] = [years[0], years.at(-1)];
    const span = !first ? '' : first === last ? `, ${first}` : `, ${first}–${last}`;
    const { up, drawn, down } = this.tally();
    const wins: [string, number][] = [
      [this.sides[0], up],
      [this.sides[1], down],
    ];
    if (this.of === null) wins.sort((a, b) => b[1] - a[1]);
    const [more, less] = wins as [[string, number], [string, number]];
    const n = this.games.length;
    const who = this.duel || this.of !== null ? '' : `, ${this.players.length} players`;
    return `${n} ${n === 1 ? 'game' : 'games'}${who}${span}. ${more[0]} won ${more[1]}, ${less[0]} ${less[1]}, and ${drawn} ${drawn === 1 ? 'was' : 'were'} drawn.`;
  }

  /** A novelty in one sentence. */
  sentence(novelty: Novelty): string {
    const move = numberedPly(novelty.ply, novelty.san);
    const before = novelty.path[novelty.ply - 2];
    const after = before ? `after ${numberedPly(novelty.ply - 1, before)}` : 'at the first move';
    const who = this.duel ? 'either of them' : 'anybody here';
    return `In game ${this.number(novelty.gameId)}, ${surname(novelty.playedBy)} played ${move} — the first time ${who} tried this ${after} (${novelty.gamesAtParent} games reached that position).`;
  }
}

/** A game as one line of the selector. */
export function label(game: Game): string {
  return `${game.white} vs ${game.black} — ${game.date || 'no date'} — ${game.result}`;
}

export function pairing(game: Pick<Game, 'white' | 'black'>): string {
  return `${surname(game.white)} – ${surname(game.black)}`;
}

/** "World Championship, Moscow 1985"; as much of it as is known. */
export function tournament(game: Game): string {
  // Many events are called after the place.
  const site = game.site && !game.event?.includes(game.site) ? game.site : '';
  const when = [site, year(game.date)].filter(Boolean).join(' ');
  return [game.event ?? '', when].filter(Boolean).map(typeset).join(', ');
}

/** Where and when: "World Championship, Moscow 1985, round 16". */
export function occasion(game: Game): string {
  const round = game.round && /^\d/.test(game.round) ? `round ${game.round}` : '';
  return [tournament(game), round].filter(Boolean).join(', ');
}

/** Games whose names, date, opening and result have every word of a query. */
export function filtered(games: readonly Game[], query: string): Game[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return games.filter((game) => {
    const text = [game.white, game.black, game.date, game.result, game.eco, game.opening, game.event, game.site].join(' ').toLowerCase();
    return words.every((word) => text.includes(word.replaceAll('–', '-').replaceAll('½', '1/2')));
  });
}

/** The game as PGN, for the review. */
export function pgnOf(game: Game): string {
  const quoted = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const tags = { Event: game.event || '?', Site: game.site || '?', Date: game.date || '????.??.??', Round: game.round || '?', White: game.white, Black: game.black, Result: game.result };
  const head = Object.entries(tags).map(([tag, value]) => `[${tag} "${quoted(value)}"]`);
  const moves = game.moves.map((move) => (move.ply % 2 === 1 ? `${(move.ply + 1) / 2}. ${move.san}` : move.san));
  return `${head.join('\n')}\n\n${[...moves, game.result].join(' ')}\n`;
}
