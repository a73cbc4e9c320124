import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import fixture from '../../tests/fixtures/db.json';
import { Book } from './book';
import type { Db } from './db';
import MoveList from './MoveList.svelte';

afterEach(cleanup);

it('leads to the game that is met again at that game’s own ply', () => {
  const book = new Book(fixture as Db);
  const meetings = new Map([[6, { game: 1, ply: 4 }]]);
  const at = (game: number, ply: number) => `/games?game=${book.number(game)}&ply=${ply}`;
  render(MoveList, { book, game: book.games[0]!, ply: 0, meetings, at });
  expect(screen.getByTitle(/^The same position as in game 2/).getAttribute('href')).toBe('/games?game=2&ply=4');
});
