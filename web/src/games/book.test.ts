import { describe, expect, it } from 'vitest';
import fixture from '../../tests/fixtures/db.json';
import { Book, filtered, label, occasion, pgnOf } from './book';
import type { Db, Game } from './db';
import { icicle } from './icicle';
import { Meetings } from './meetings';

const book = new Book(fixture as Db);
const game = (id: number) => book.game(id) as Game;

describe('a book of games', () => {
  it('says who played and how it went', () => {
    expect(book.title).toBe('Ada – Bo');
    expect(book.summary).toBe('3 games, 1984–1985. Ada won 1, Bo 1, and 1 was drawn.');
    expect(book.tally()).toEqual({ up: 1, drawn: 1, down: 1 });
    expect(book.games.map((one) => book.side(one))).toEqual([1, 0, -1]);
  });

  it('counts colours where there are more than two players', () => {
    const more = new Book({ ...fixture, games: [...fixture.games.slice(0, 2), { ...fixture.games[2]!, black: 'Cy' }] } as Db);
    expect([more.duel, more.title, more.sides]).toEqual([null, '3 games', ['White', 'Black']]);
    expect(more.summary).toBe('3 games, 3 players, 1984–1985. White won 1, Black 1, and 1 was drawn.');
  });

  it('knows two players by their surnames, however they are written', () => {
    const games = fixture.games.map((one, index) => ({ ...one, white: index === 1 ? 'Karpov, Anatoly' : 'Kasparov, G', black: index === 1 ? 'Garry Kasparov' : 'Karpov,A' }));
    const match = new Book({ ...fixture, meta: { ...fixture.meta, players: ['Kasparov, G', 'Karpov,A'] }, games } as Db);
    expect(match.title).toBe('Kasparov – Karpov');
    expect(match.tally()).toEqual({ up: 1, drawn: 1, down: 1 });
  });

  it('narrows to one player: games, results, what was new, what is common', () => {
    const dee = { ...fixture.games[2]!, id: 3, white: 'Dee', black: 'Bo', result: '1-0', date: '1986.01.01' };
    const whole = new Book({ ...fixture, games: [...fixture.games.slice(0, 2), { ...fixture.games[2]!, black: 'Cy' }, dee] } as Db);
    const bo = whole.narrowed('Bo');
    expect(bo.games.map((one) => [one.id, bo.number(one.id)])).toEqual([[0, 1], [1, 2], [3, 3]]);
    expect(bo.novelties.map((one) => one.playedBy)).toEqual(['Bo']);
    expect([bo.title, bo.summary]).toEqual(['Bo', '3 games, 1984–1986. Bo won 0, others 2, and 1 was drawn.']);
    expect(bo.choices).toEqual(whole.players);
    expect(icicle(bo.games, 9).filter(({ column }) => column === 1).map(({ san, games }) => [san, games])).toEqual([['e4', 2], ['d4', 1]]);
    // From a game that is not one of his to the nearest that is, under the number it has among all.
    expect(bo.beside(whole.nth(4)!, -1)?.id).toBe(3);
    expect([bo.nth(4)?.white, bo.nth(4)?.black]).toEqual(['Ada', 'Cy']);
    expect(bo.narrowed('')).toBe(whole);
    expect(whole.narrowed('Nobody')).toBe(whole);
  });

  it('narrows a match by surname: the games stay, the novelties are one side’s', () => {
    const ada = book.narrowed('Ada');
    expect([ada.games.length, ada.title, ada.novelties.map((one) => one.san)]).toEqual([3, 'Ada – Bo', ['d4', 'Nf6']]);
  });

  it('calls a game’s own way new only where no game of anybody went it', () => {
    const lone = icicle([{ ...game(0), noveltyPlies: [6] }, game(2)], 9).filter(({ games }) => games === 1);
    expect(lone.map(({ san, novelty }) => [san, novelty])).toEqual([['e4', false], ['d4', true]]);
  });

  it('unfolds what else was played, with a game that shows it', () => {
    const [e4, , , nc6] = game(0).moves;
    expect(book.forks(game(0), e4!)).toEqual([{ san: 'd4', gameCount: 1, gameId: 2 }]);
    expect(book.forks(game(0), nc6!)).toEqual([{ san: 'Nf6', gameCount: 1, gameId: 1 }]);
    expect(book.forks(game(0), game(0).moves[1]!)).toEqual([]);
  });

  it('says what was new in one sentence', () => {
    expect(book.sentence(book.novelties[1]!)).toBe(
      'In game 1, Bo played 2…Nc6 — the first time either of them tried this after 2.Nf3 (2 games reached that position).',
    );
    expect(book.sentence(book.novelties[0]!)).toContain('at the first move (3 games');
  });

  it('writes the selector’s line and finds games by words', () => {
    expect(label(game(0))).toBe('Ada vs Bo — 1984.09.10 — 1-0');
    expect(label(game(2))).toBe('Ada vs Bo — no date — 0-1');
    expect(filtered(book.games, 'berlin 1985').map((one) => one.id)).toEqual([1]);
    expect(filtered(book.games, '½').map((one) => one.id)).toEqual([1]);
  });

  it('says where and when, as far as it is known', () => {
    const known = { ...game(0), event: "Club's cup", site: 'Moscow', round: '16' };
    expect(occasion(known)).toBe('Club’s cup, Moscow 1984, round 16');
    expect(occasion({ ...known, event: '', round: '?' })).toBe('Moscow 1984');
    expect(occasion({ ...known, event: 'Moscow open' })).toBe('Moscow open, 1984, round 16');
    expect(occasion(game(2))).toBe('');
  });

  it('hands a game on as PGN', () => {
    expect(pgnOf(game(2))).toBe(
      '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "Ada"]\n[Black "Bo"]\n[Result "0-1"]\n\n1. d4 0-1\n',
    );
  });
});

describe('common sequences', () => {
  it('lays the most played on top, and stops where a game is alone', () => {
    const blocks = icicle(book.games, 9).map(({ path, top, games, novelty }) => [path.join(' '), top, games, novelty]);
    expect(blocks).toEqual([
      ['e4', 0, 2, false],
      ['e4 e5', 0, 2, false],
      ['e4 e5 Nf3', 0, 2, false],
      ['e4 e5 Nf3 Nc6', 0, 1, true],
      ['e4 e5 Nf3 Nf6', 1, 1, true],
      ['d4', 2, 1, true],
    ]);
  });
});

describe('meetings', () => {
  it('finds where games come together again', () => {
    const meetings = new Meetings();
    for (const one of book.games) meetings.add(one);
    expect([...meetings.of(game(0))]).toEqual([[6, { game: 1, ply: 6 }]]);
    expect([...meetings.of(game(1))]).toEqual([[6, { game: 0, ply: 6 }]]);
    expect([...meetings.of(game(2))]).toEqual([]);
  });

  it('says at which ply the other game is there, where it took longer', () => {
    const played = (id: number, line: string): Game => {
      const moves = line.split(' ').map((san, index) => ({ san, ply: index + 1, gameCount: 1, isNovelty: index === 1, isBranchPoint: false }));
      return { ...game(id), moves, noveltyPlies: [2] };
    };
    const straight = played(0, 'e4 e5 d4');
    const slow = played(1, 'e4 e6 d3 e5 d4');
    const meetings = new Meetings();
    for (const one of [straight, slow]) meetings.add(one);
    expect([...meetings.of(straight)]).toEqual([[3, { game: 1, ply: 5 }]]);
    expect([...meetings.of(slow)]).toEqual([[5, { game: 0, ply: 3 }]]);
  });
});
