// Fails the build when the first load, compressed, is heavier than it may be. Counted is what index.html names and what
// that imports statically; pages that load when they are opened are listed beside it.
import { readFile, readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const LIMIT = 300 * 1024;
const dist = new URL('../dist/', import.meta.url);
const gzipped = async (name) => gzipSync(await readFile(new URL(name, dist))).length;

const html = await readFile(new URL('index.html', dist), 'utf8');
const first = new Set(['index.html']);
const queue = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1]);
while (queue.length > 0) {
  const name = queue.pop();
  if (first.has(name)) continue;
  first.add(name);
  if (!name.endsWith('.js')) continue;
  const code = await readFile(new URL(name, dist), 'utf8');
  for (const match of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) queue.push(`assets/${match[1]}`);
}

let total = 0;
for (const name of first) total += await gzipped(name);
const later = (await readdir(new URL('assets/', dist))).map((name) => `assets/${name}`).filter((name) => !first.has(name));
let rest = 0;
for (const name of later) rest += await gzipped(name);

const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
console.log(`first load ${kb(total)} compressed of ${kb(LIMIT)} (${first.size} files), other pages ${kb(rest)}`);
if (total >= LIMIT) {
  console.error('error: the first load is too heavy');
  console.error('hint: load what only one page needs with import() in src/pages.ts');
  process.exit(1);
}
