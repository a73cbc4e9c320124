import { describe, expect, it } from 'vitest';
import { open } from './browser';

describe('openings', () => {
  it('shades 500 codes and filters names with a typing error', async () => {
    const page = await open('/openings');
    await page.getByRole('gridcell').first().waitFor();
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(500);
    await page.getByRole('link', { name: /^C50, Italian Game/ }).hover();
    await page.getByRole('tooltip').getByText('Italian Game').waitFor();
    await page.getByRole('textbox', { name: 'Filter openings' }).fill('najdrof');
    await page.getByRole('link', { name: /^Sicilian Defense: Najdorf Variation$/ }).first().waitFor();
    expect(page.url()).toContain('q=najdrof');
    await page.getByRole('link', { name: /^Sicilian Defense: Najdorf Variation$/ }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sicilian Defense: Najdorf Variation' }).waitFor();
  });

  it('unfolds an opening’s tree, and keeps the folds when one comes back', async () => {
    const page = await open('/openings/c50-italian-game');
    const rows = page.getByRole('treeitem');
    await rows.first().waitFor();
    const folded = page.locator('[role="treeitem"][aria-expanded="false"]').first();
    const path = await folded.locator('a').getAttribute('href');
    const before = await rows.count();
    await folded.getByRole('button').click();
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
    const after = await rows.count();
    await page.locator(`[role="treeitem"] a[href="${path}"]`).click();
    await page.waitForURL(/\/explorer\?play=/);
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(after);
    await page.getByRole('heading', { name: 'Structures' }).waitFor();
  });

  it('is where it was when one comes back, and when it is loaded anew', async () => {
    const page = await open('/openings/c50-italian-game', { width: 1440, height: 400 });
    const scroll = () => page.evaluate(() => Math.round(window.scrollY));
    await page.getByRole('heading', { name: 'Structures' }).scrollIntoViewIfNeeded();
    await expect.poll(() => page.evaluate(() => (history.state as { scroll?: number } | null)?.scroll ?? 0)).toBeGreaterThan(100);
    const there = await scroll();
    await page.locator('nav').getByRole('link', { name: 'Tactics' }).evaluate((link: HTMLElement) => link.click());
    await page.waitForURL(/\/tactics$/);
    await page.goBack();
    await expect.poll(scroll).toBe(there);
    await page.reload();
    await expect.poll(scroll).toBe(there);
  });

  it('walks the tree by keyboard', async () => {
    const page = await open('/openings/c50-italian-game');
    const first = page.getByRole('treeitem').first();
    await first.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => first.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => first.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('[role="treeitem"]:focus').getAttribute('aria-level')).toBe('2');
  });

  it('says that there is no such opening', async () => {
    const page = await open('/openings/z99-nothing', {}, [/404/]);
    await page.getByText(/no opening/).waitFor();
    await page.getByRole('link', { name: 'All openings' }).waitFor();
  });
});
