import { expect, it, vi } from 'vitest';
import { Cache } from './cache';

it('asks once, also while the answer is on its way', async () => {
  const cache = new Cache<number>(8);
  const ask = vi.fn(async () => 7);
  expect(cache.peek('a')).toBeUndefined();
  expect(await Promise.all([cache.get('a', ask), cache.get('a', ask)])).toEqual([7, 7]);
  expect(ask).toHaveBeenCalledOnce();
  expect(cache.peek('a')).toBe(7);
});

it('asks again after a failure', async () => {
  const cache = new Cache<number>(8);
  await expect(cache.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cache.get('a', async () => 1)).toBe(1);
});

it('tells what is not kept, and asks for it again', async () => {
  const cache = new Cache<number>(8, (value) => value > 0);
  const ask = vi.fn().mockResolvedValueOnce(0).mockResolvedValueOnce(7);
  expect(await Promise.all([cache.get('a', ask), cache.get('a', ask)])).toEqual([0, 0]);
  expect(cache.peek('a')).toBeUndefined();
  expect([await cache.get('a', ask), await cache.get('a', ask)]).toEqual([7, 7]);
  expect(ask).toHaveBeenCalledTimes(2);
});

it('lets go of what was not asked for the longest', async () => {
  const cache = new Cache<string>(2);
  for (const key of ['a', 'b', 'a', 'c']) await cache.get(key, async () => key);
  expect(['a', 'b', 'c'].map((key) => cache.peek(key))).toEqual(['a', undefined, 'c']);
});
