// The pictures of the README, each of a page that has something to show. Not a test of its own: `make screenshots` runs it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Look, open } from './browser';

const repository = new URL('../../../', import.meta.url);
const directory = fileURLToPath(new URL('docs/screenshots/', repository));
mkdirSync(directory, { recursive: true });

const LOOK: Look = { width: 1440, height: 900, still: true };
/** Bytes; pictures should not be heavier than the page they show. */
const HEAVY = 150_000;

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.mouse.move(0, 0);
  const path = `${directory}${name}.png`;
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  // 256 colours are more than a page has; what is lost are the edges of letters.
  execFileSync('pngquant', ['--force', '--strip', '--speed', '1', '--output', path, '256', path]);
  expect(statSync(path).size, name).toBeLessThan(HEAVY);
}

it('explorer', async () => {
  const page = await open('/explorer?play=e2e4,e7e5', LOOK);
  await page.locator('table[aria-label="Moves"] tbody tr').first().waitFor();
  await page.locator('.stage').getByRole('list', { name: 'Lines of the engine' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await take(page, 'explorer');
});

it('explorer in the dark, on a phone', async () => {
  const page = await open('/explorer?play=e2e4,e7e5', { width: 390, height: 844, dark: true, still: true, touch: true });
  await page.locator('table[aria-label="Moves"] tbody tr').first().waitFor();
  await take(page, 'explorer-phone');
});

it('openings', async () => {
  const page = await open('/openings', LOOK);
  await page.getByRole('gridcell').first().waitFor();
  await take(page, 'openings');
});

it('games', async () => {
  const page = await open('/tactics', { ...LOOK, still: false });
  // The replay by a clock of ours: on to the game with the longest common way, and to its ★.
  await page.clock.install();
  await page.goto(new URL('/games?game=9&ply=34', page.url()).href);
  const counter = page.getByTestId('counter');
  await counter.waitFor();
  while (!(await counter.textContent())?.startsWith('9 ')) await page.clock.runFor(1000);
  while ((await page.locator('.move .badge.novel').count()) === 0) await page.clock.runFor(280);
  await page.clock.runFor(0);
  await take(page, 'games');
});

it('review', async () => {
  const all = readFileSync(new URL('samples/famous-games.pgn', repository), 'utf8');
  const evergreen = all.split(/\n(?=\[Event )/).find((game) => game.includes('Anderssen') && game.includes('Dufresne'));
  const page = await open('/review', LOOK);
  await page.getByLabel(/Paste a game/).fill(evergreen!);
  await page.getByLabel('Thoroughness').selectOption('100000');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('table', { name: 'Accuracy and classes' }).waitFor({ timeout: 230_000 });
  for (let mistake = 0; mistake < 5; mistake++) await page.keyboard.press('m');
  await page.locator('.verdict .sentence').filter({ hasText: /\w/ }).waitFor();
  await take(page, 'review');
});

it('tactics', async () => {
  const page = await open('/tactics', LOOK);
  await page.getByRole('heading', { level: 1, name: /to move$/ }).waitFor();
  // One with some men on the board.
  const pieces = page.locator('cg-board piece');
  for (let skipped = 0; skipped < 20 && (await pieces.count()) < 20; skipped++) {
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(100);
  }
  await take(page, 'tactics');
});
