// A browser that notices what a user would: errors on the console, and requests that leave the machine.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';

let browser: Browser;
const contexts: BrowserContext[] = [];
let complaints: string[] = [];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});

afterAll(() => browser?.close());

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  const heard = complaints;
  complaints = [];
  expect(heard).toEqual([]);
});

export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
  still?: boolean;
  touch?: boolean;
}

export const DESKTOP: Look = { width: 1440, height: 900 };
export const PHONE: Look = { width: 360, height: 740, touch: true };
export const WIDE: Look = { width: 2560, height: 1440 };

/** Opens a page of ours. `expected` are console errors that belong to the test: a browser reports every 404 it gets. */
export async function open(path: string, look: Look = DESKTOP, expected: RegExp[] = []): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1440, height: look.height ?? 900 },
    colorScheme: look.dark ? 'dark' : 'light',
    reducedMotion: look.still ? 'reduce' : 'no-preference',
    hasTouch: look.touch ?? false,
  });
  context.setDefaultTimeout(60_000);
  contexts.push(context);
  const page = await context.newPage();
  const origin = inject('page');
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.some((pattern) => pattern.test(message.text()))) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) complaints.push(`left the machine: ${url}`);
  });
  await page.goto(origin + path);
  return page;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings of axe, each with where. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[] }> } };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.slice(0, 5).map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`));
  });
}

/** Pixels by which the page is wider than the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - window.innerWidth));
}

/** The middle of a square of the first board of the page, White below. */
export async function square(page: Page, name: string): Promise<{ x: number; y: number }> {
  const box = await page.locator('cg-board').first().boundingBox();
  if (!box) throw new Error('there is no board');
  const file = name.charCodeAt(0) - 97;
  const rank = Number(name[1]) - 1;
  return { x: box.x + ((file + 0.5) * box.width) / 8, y: box.y + ((7.5 - rank) * box.height) / 8 };
}

export async function drag(page: Page, from: string, to: string): Promise<void> {
  const a = await square(page, from);
  const b = await square(page, to);
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 4 });
  await page.mouse.up();
}
