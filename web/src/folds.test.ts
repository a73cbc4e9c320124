import { expect, it } from 'vitest';
import { Folds } from './folds.svelte';

it('remembers folds over navigation, each page its own', () => {
  new Folds('a').set('Nf3', true);
  expect([...new Folds('a').chosen]).toEqual([['Nf3', true]]);
  expect([...new Folds('b').chosen]).toEqual([]);
});

it('remembers how far something was unfolded', () => {
  new Folds<number>('d').set('naj', 250);
  expect(new Folds<number>('d').chosen.get('naj')).toBe(250);
});

it('starts anew where what was kept cannot be read', () => {
  sessionStorage.setItem('tabiya.folds.c', '{');
  expect([...new Folds('c').chosen]).toEqual([]);
});
