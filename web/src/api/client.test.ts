import { afterEach, describe, expect, it, vi } from 'vitest';
import { Failure, answer, ask, client, sentence } from './client';

afterEach(() => vi.unstubAllGlobals());

const problem = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: 'no game of this knowledge base reached it',
  code: 'unknown-position',
  hint: 'positions are left out beyond the depth of the build',
};

function answering(body: unknown, status: number) {
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })),
  );
}

describe('an answer', () => {
  it('is the data', async () => {
    answering({ status: 'ok' }, 200);
    expect(await ask('/healthz')).toEqual({ status: 'ok' });
  });

  it('is a failure with the server’s words and way out', async () => {
    answering(problem, 404);
    const failed = await ask('/position').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Failure);
    expect(failed).toMatchObject({ message: 'No game of this knowledge base reached it.', hint: 'Positions are left out beyond the depth of the build.', unknown: true });
  });

  it('is a failure even where the server says nothing sensible', async () => {
    answering('<html>', 502);
    await expect(ask('/position')).rejects.toThrow('The server answered 502.');
  });

  it('says how to start a server that is not there', async () => {
    vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(new TypeError('fetch failed'))));
    const asked = answer(client.GET('/healthz'));
    await expect(asked).rejects.toMatchObject({ message: 'The server cannot be reached.', hint: 'Start it again with: tabiya serve' });
  });
});

it('writes the server’s words as a page does', () => {
  expect(sentence('`hello`: there are neither tags nor moves here. send the PGN')).toBe('“hello”: there are neither tags nor moves here. Send the PGN.');
  expect(sentence('move 1 of play, "e2e5": `e2e5` is not a legal move here')).toBe('Move 1 of play, “e2e5”: “e2e5” is not a legal move here.');
  expect(sentence('it begins with 1. e4, e.g. in `a.pgn`. is that so?')).toBe('It begins with 1. e4, e.g. in “a.pgn”. Is that so?');
  expect(sentence('')).toBe('');
});
