import { describe, expect, it } from 'vitest';
import { PHONE, findings, open, overflow } from './browser';

// A name that a phone has no room for beside the other.
const short = '[White "Lovelace, Augusta Ada"]\n[Black "Bo"]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n';

describe('review', () => {
  it('reviews a short game from end to end', async () => {
    const page = await open('/review');
    await page.getByLabel(/Paste a game/).fill(short);
    await page.getByText('7 half-moves').waitFor();
    await page.getByLabel('Thoroughness').selectOption('100000');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('table', { name: 'Accuracy and classes' }).waitFor({ timeout: 180_000 });
    await page.getByRole('heading', { level: 1, name: 'Lovelace – Bo' }).waitFor();
    await page.keyboard.press('m');
    await page.waitForURL(/ply=\d+/);
    await page.locator('.verdict .sentence').filter({ hasText: /\w/ }).waitFor();
    const before = new URL(page.url()).searchParams.get('ply');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => Number(new URL(page.url()).searchParams.get('ply') ?? '0')).toBe(Number(before) - 1);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Annotated PGN' }).click()]);
    expect(download.suggestedFilename()).toMatch(/\.pgn$/);

    // The same review as everybody may see it, with a mistake chosen and explained.
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const size of [{ width: 1440, height: 900 }, { width: PHONE.width!, height: PHONE.height! }]) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize(size);
        await page.keyboard.press('m');
        await page.locator('.verdict .sentence').filter({ hasText: /\w/ }).waitFor();
        const look = `${colorScheme}, ${size.width} wide`;
        expect(await overflow(page), look).toBe(0);
        expect(await findings(page), look).toEqual([]);
        expect(await page.locator('.scroll').evaluate((table) => table.scrollWidth - table.clientWidth), look).toBe(0);
      }
    }

    // Back and forward show what the address says.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Another game' }).click();
    await page.getByLabel(/Paste a game/).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Lovelace – Bo' }).waitFor();
    await page.goForward();
    await page.getByLabel(/Paste a game/).waitFor();
  });

  it('jumps by a click into the graph', async () => {
    const page = await open('/review');
    await page.getByLabel(/Paste a game/).fill(short);
    await page.getByLabel('Thoroughness').selectOption('100000');
    await page.getByRole('button', { name: 'Review' }).click();
    const plot = page.locator('.plot');
    await plot.waitFor({ timeout: 180_000 });
    const box = await plot.boundingBox();
    await plot.click({ position: { x: (box?.width ?? 0) - 2, y: (box?.height ?? 0) - 4 } });
    await page.waitForURL(/ply=\d+/);
    await page.locator('[aria-current="step"]').first().waitFor();
  });
});
