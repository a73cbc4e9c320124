// Starts what the browser tests need, unless it runs already:
//
//   TABIYA_SERVER  a server that runs; else TABIYA_BIN (a built tabiya) builds a knowledge base of the sample games and serves it
//   TABIYA_PAGE    where the page is; else the server's own, if it carries one, or the build in dist/ in front of it
//   TABIYA_SHOW    make the knowledge base as `make run` does, evaluated and with the match, to be looked at
//   CHROMIUM       the browser; Debian's by default

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PreviewServer, preview } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    page: string;
    server: string;
  }
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

async function answering(url: string, seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const ok = await fetch(url).then((response) => response.ok, () => false);
    if (ok) return;
    if (Date.now() > until) throw new Error(`${url} does not answer after ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A server of its own, over the games that come with the repository. */
async function started(binary: string, scratch: string): Promise<{ url: string; child: ChildProcess }> {
  const db = `sqlite://${join(scratch, 'page.db')}`;
  const run = (...args: string[]) => execFileSync(binary, args, { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] });
  const show = Boolean(process.env.TABIYA_SHOW);
  run('build', 'all', '--quiet', '--db', db, '--pgn', 'samples/famous-games.pgn');
  run('import', '--quiet', '--db', db, 'samples/tactics.pgn');
  if (show) run('build', 'annotate', '--quiet', '--db', db, '--limit', '60', '--depth', '14');
  const port = await freePort();
  const games = show ? 'samples/match' : 'samples/famous-games.pgn';
  const child = spawn(binary, ['serve', '--db', db, '--bind', `127.0.0.1:${port}`, '--games', games], { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  await answering(`${url}/readyz`, 120);
  return { url, child };
}

async function carriesPage(server: string): Promise<boolean> {
  const response = await fetch(server, { headers: { accept: 'text/html' } });
  return response.ok && (await response.text()).includes('id="app"');
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = mkdtempSync(join(tmpdir(), 'tabiya-page-'));
  let child: ChildProcess | undefined;
  let front: PreviewServer | undefined;
  const end = async () => {
    await front?.close();
    child?.kill();
    rmSync(scratch, { recursive: true, force: true });
  };

  try {
    let server = process.env.TABIYA_SERVER;
    if (!server) {
      const binary = process.env.TABIYA_BIN;
      if (!binary) throw new Error('neither TABIYA_SERVER nor TABIYA_BIN is set\nhint: TABIYA_BIN=…/debug/tabiya npm run e2e');
      ({ url: server, child } = await started(binary, scratch));
    }
    let page = process.env.TABIYA_PAGE ?? ((await carriesPage(server)) ? server : undefined);
    if (!page) {
      process.env.TABIYA_SERVER = server;
      const port = await freePort();
      front = await preview({ root: fileURLToPath(new URL('../..', import.meta.url)), preview: { port, host: '127.0.0.1', strictPort: true } });
      page = `http://127.0.0.1:${port}`;
      await answering(page, 60);
    }
    project.provide('server', server);
    project.provide('page', page);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}
