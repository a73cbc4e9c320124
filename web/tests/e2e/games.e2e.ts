import { describe, expect, it } from 'vitest';
import { open } from './browser';

describe('games', () => {
  it('steps through a game to its ★', async () => {
    const page = await open('/games', { still: true });
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await page.getByRole('listbox').getByRole('option').last().click();
    const star = page.locator('.moves .badge.novel');
    await star.waitFor();
    const ply = Number(await page.locator('.moves .half:has(.badge.novel)').getAttribute('data-ply'));
    for (let step = 0; step < ply; step++) await page.keyboard.press('ArrowRight');
    await page.waitForURL(new RegExp(`ply=${ply}$`));
    await expect.poll(() => page.locator('.moves .half.current .badge.novel').count()).toBe(1);
  });

  it('unfolds what else was played', async () => {
    const page = await open('/games', { still: true });
    const fork = page.locator('.moves button.fork').first();
    await fork.click();
    await page.locator('.moves .unfolded').getByText(/in \d+ games?/).first().waitFor();
  });

  it('replays by itself, faster from game to game, and stands still for those who want that', async () => {
    const page = await open('/games');
    const counter = page.getByTestId('counter');
    await counter.waitFor();
    const number = async () => Number((await counter.textContent())?.split('/')[0]);
    const first = await number();
    const total = Number((await counter.textContent())?.split('/')[1]);
    // Two games on, or round the corner where there are few.
    const want = (first - 1 + Math.min(2, total - 1)) % total + 1;
    await expect.poll(number, { timeout: 180_000, interval: 50 }).toBe(want);
    const still = await open('/games', { still: true });
    await still.getByTestId('counter').waitFor();
    await still.waitForTimeout(2500);
    expect((await still.getByTestId('counter').textContent())?.trim()).toMatch(/^1\s/);
    await still.getByRole('button', { name: 'Go on' }).waitFor();
  });

  it('shows novel moves and common sequences, and leads to the game', async () => {
    const page = await open('/games', { still: true });
    await page.getByText(/— the first time/).first().waitFor();
    await page.getByRole('link', { name: /^Open game \d+ at/ }).first().click();
    await page.waitForURL(/game=\d+&ply=\d+/);
    await page.getByRole('heading', { name: 'Common sequences' }).waitFor();
  });

  it('narrows everything to a player, and the address says so', async () => {
    const page = await open('/games', { still: true });
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    const all = await page.getByRole('listbox').getByRole('option').count();
    await page.getByRole('combobox', { name: 'Player' }).selectOption('Kasparov, Garry');
    await page.waitForURL(/player=Kasparov/);
    await page.getByRole('heading', { level: 1, name: 'Kasparov' }).waitFor();
    const his = await page.getByRole('listbox').getByRole('option').count();
    expect(his).toBeGreaterThan(1);
    expect(his).toBeLessThan(all);
    expect((await page.getByTestId('counter').textContent())?.replaceAll(/\s/g, '')).toBe(`1/${his}`);
    for (const text of await page.getByText(/— the first time/).allTextContents()) expect(text).toContain('Kasparov played');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Kasparov' }).waitFor();
    await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(his);
    await page.goBack();
    await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(all);
  });

  it('analyses files that are opened', async () => {
    const page = await open('/games', { still: true });
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    const pgn = '[White "Ada"]\n[Black "Bo"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[White "Bo"]\n[Black "Ada"]\n[Result "0-1"]\n\n1. e4 e5 2. Nf3 Nf6 0-1\n';
    await page.locator('input[type=file]').setInputFiles({ name: 'mine.pgn', mimeType: 'application/x-chess-pgn', buffer: Buffer.from(pgn) });
    await page.getByRole('heading', { level: 1, name: 'Ada – Bo' }).waitFor();
    await page.getByText(/games of mine.pgn; nothing was stored/).waitFor();
  });
});
