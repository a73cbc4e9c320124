// What holds on every page: nothing serious for axe, no sideways scrolling, light and dark, narrow and wide.

import { describe, expect, it } from 'vitest';
import { DESKTOP, type Look, PHONE, WIDE, findings, open, overflow } from './browser';

const PAGES: [string, string][] = [
  ['/explorer?play=e2e4,e7e5,g1f3,b8c6,f1c4', 'table'],
  ['/openings', '[role="gridcell"]'],
  ['/openings/c50-italian-game', '[role="treeitem"]'],
  ['/games?game=1&ply=4', '[role="option"]'],
  ['/review', 'textarea'],
  ['/tactics', '.buttons'],
];

const LOOKS: [string, Look][] = [
  ['light', DESKTOP],
  ['dark', { ...DESKTOP, dark: true }],
  ['on a phone', PHONE],
  ['on a phone in the dark', { ...PHONE, dark: true }],
  ['on a wide screen', WIDE],
];

describe.each(PAGES)('%s', (path, ready) => {
  it.each(LOOKS)('is sound %s', async (_, look) => {
    const page = await open(path, { ...look, still: true });
    await page.locator(ready).first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await overflow(page)).toBe(0);
    expect(await findings(page)).toEqual([]);
  });
});

it('reaches everything with Tab, and shows where it is', async () => {
  const page = await open('/explorer?play=e2e4');
  await page.locator('table[aria-label="Moves"] tbody tr').first().waitFor();
  const seen = new Set<string>();
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      return { name: element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '', visible: style.outlineStyle !== 'none' || style.boxShadow !== 'none' };
    });
    if (!focused) break;
    expect(focused).toMatchObject({ visible: true });
    seen.add(focused.name);
  }
  for (const name of ['Openings', 'Theme: as the system says', 'To the start']) expect([...seen]).toContain(name);
});

it('is switched to dark and stays so', async () => {
  const page = await open('/explorer');
  await page.keyboard.press('t');
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  await page.reload();
  await page.locator('table').first().waitFor();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
});

it('does not shift when the data arrives', async () => {
  const page = await open('/explorer?play=e2e4');
  await page.locator('table').first().waitFor();
  await page.waitForTimeout(500);
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(sum), 300);
      }),
  );
  expect(shift).toBeLessThan(0.05);
});

it('reaches both edges of a phone, and keeps no strip free for a scrollbar', async () => {
  const phone = await open('/explorer', { width: 390, height: 844, touch: true, still: true });
  await phone.locator('cg-board piece').first().waitFor();
  expect(await phone.locator('cg-board').first().boundingBox()).toMatchObject({ x: 0, width: 390 });
  const desktop = await open('/explorer?play=e2e4,e7e5', { ...DESKTOP, still: true });
  await desktop.locator('#games').waitFor();
  expect(await desktop.locator('header').first().boundingBox()).toMatchObject({ x: 0, width: 1440 });
  const left = await desktop.evaluate(() => {
    const head = document.querySelector('th.becomes') as HTMLElement;
    return head.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(head).paddingLeft);
  });
  expect((await desktop.locator('#games').boundingBox())?.x).toBe(left);
});

it('leaves nothing under anything else in a low window', async () => {
  const desktop = await open('/explorer', { width: 1366, height: 600 });
  // A click waits until it would be taken.
  await desktop.locator('nav').getByRole('link', { name: 'Tactics' }).click();
  await desktop.waitForURL(/\/tactics$/);
  const sideways = await open('/explorer', { width: 844, height: 390 });
  const copy = (await sideways.getByRole('button', { name: 'Copy FEN' }).boundingBox())!;
  expect(copy.x + copy.width).toBeLessThan((await sideways.locator('.facts').boundingBox())!.x);
});
