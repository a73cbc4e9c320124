import { expect, it } from 'vitest';
import { spoken } from './speech';

it.each([
  ['Nf3', true, 'White knight to f3'],
  ['exd5', false, 'Black pawn takes on d5'],
  ['Rae8+', false, 'Black rook to e8, check'],
  ['O-O-O', true, 'White castles long'],
  ['bxa8=Q#', true, 'White pawn takes on a8 and becomes a queen, checkmate'],
])('says %s', (san, white, words) => expect(spoken({ san, white })).toBe(words));

it('adds the name that was reached', () =>
  expect(spoken({ san: 'Bc4', white: true }, 'Italian Game')).toBe('White bishop to c4, Italian Game'));
