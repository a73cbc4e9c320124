// The server's answers, typed by its contract. Failures come as one kind of error, with what to do about it.

import createClient from 'openapi-fetch';
import type { components, paths } from './schema';

export type Schema = components['schemas'];
export type Position = Schema['Position'];
export type MoveRow = Schema['MoveRow'];
export type Results = Schema['Results'];
export type Problem = Schema['Problem'];

/** What went wrong, for people: the server's own words where it could say any. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly hint: string,
    readonly problem?: Problem,
  ) {
    super(message);
  }

  get unknown(): boolean {
    return this.problem?.status === 404;
  }
}

// Asked for at every call, so that tests and the page itself may replace it.
export const client = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request: Request) => fetch(request),
  headers: { accept: 'application/json' },
});

/** The data of an answer, or a `Failure`. */
export async function answer<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let got;
  try {
    got = await asked;
  } catch (error) {
    throw unreachable(error);
  }
  if (got.data !== undefined) return got.data;
  throw failure(got.error, got.response.status);
}

/** Asks an address whose answer the contract leaves open; its shape is the caller's word. */
export async function ask<T>(address: string, init: RequestInit = {}): Promise<T> {
  const response = await send(address, init);
  return (await response.json()) as T;
}

/** The same, for answers that are not JSON. */
export async function send(address: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { ...init, headers: { accept: 'application/json', ...init.headers } });
  } catch (error) {
    throw unreachable(error);
  }
  if (response.ok) return response;
  throw failure(await response.json().catch(() => undefined), response.status);
}

export function failure(body: unknown, status: number): Failure {
  if (isProblem(body)) return new Failure(sentence(body.detail), sentence(body.hint), body);
  return new Failure(`The server answered ${status}.`, 'Look at what it printed in its terminal.', {
    type: 'about:blank',
    title: '',
    status,
    detail: '',
    code: '',
    hint: '',
  });
}

function unreachable(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  return new Failure('The server cannot be reached.', 'Start it again with: tabiya serve');
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'detail' in body && 'hint' in body;
}

/** The server's words as a page writes them: they begin small, and quote with backticks, as those of a command line do. */
export function sentence(text: string): string {
  if (text === '') return '';
  const quoted = text.replaceAll(/`([^`]*)`|"([^"]*)"/g, (_, code?: string, words?: string) => `“${code ?? words}”`);
  // Behind a word, not behind the 1. of a move or the e.g. of an example.
  const begun = quoted.replaceAll(/(^|[\p{L}\d)]{2}[.!?] |”[.!?] )(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase());
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
