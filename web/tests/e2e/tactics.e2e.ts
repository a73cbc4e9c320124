import { describe, expect, it } from 'vitest';
import { open } from './browser';

/** In the page: the squares that are marked as those of the last move. */
function lastMove(): string[] {
  const board = document.querySelector<HTMLElement>('cg-board')!;
  const flipped = document.querySelector('.cg-wrap.orientation-black') !== null;
  const size = board.clientWidth / 8;
  return [...board.querySelectorAll<HTMLElement>('square.last-move')]
    .map((square) => {
      const [x = 0, y = 0] = [...square.style.transform.matchAll(/-?[\d.]+(?=px)/g)].map(([text]) => Math.round(Number(text) / size));
      const [file, rank] = flipped ? [7 - x, y] : [x, 7 - y];
      return `${'abcdefgh'[file]}${rank + 1}`;
    })
    .sort();
}

describe('tactics', () => {
  it('shows a solution, and takes the next one from the board', async () => {
    const page = await open('/tactics');
    await page.getByRole('heading', { level: 1, name: /to move$/ }).waitFor();
    await page.getByRole('button', { name: 'Show the solution' }).click();
    await page.locator('.words', { hasText: 'That is how it goes.' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: 'Show the solution' }).waitFor();
    const asked = await page.evaluate(async () => (await (await fetch('/tactics?limit=20', { headers: { accept: 'application/json' } })).json()) as { tactics: { moves: string[] }[] });
    const moves = asked.tactics[1]?.moves ?? [];
    for (let index = 0; index < moves.length; index += 2) {
      const uci = moves[index]!;
      const at = async (name: string) => {
        const box = (await page.locator('cg-board').first().boundingBox())!;
        const flipped = (await page.locator('.cg-wrap.orientation-black').count()) > 0;
        const file = name.charCodeAt(0) - 97;
        const rank = Number(name[1]) - 1;
        return { x: box.x + (((flipped ? 7 - file : file) + 0.5) * box.width) / 8, y: box.y + (((flipped ? rank : 7 - rank) + 0.5) * box.height) / 8 };
      };
      const from = await at(uci.slice(0, 2));
      const to = await at(uci.slice(2, 4));
      await page.mouse.click(from.x, from.y);
      await page.mouse.click(to.x, to.y);
      // The reply comes after a moment; then its squares are marked, or all is said.
      const reply = moves[index + 1];
      if (reply) await expect.poll(() => page.evaluate(lastMove)).toEqual(reply.slice(0, 4).match(/../g)!.sort());
    }
    await page.locator('.words', { hasText: 'Right.' }).waitFor();
    await page.getByText('1 solved').waitFor();
  });
});
