// Writes the types of the server's answers from the contract, so that a change of it fails `npm run check`, not a user.
import { readFile, writeFile } from 'node:fs/promises';
import openapi, { astToString } from 'openapi-typescript';

const contract = new URL('../../openapi.json', import.meta.url);
const target = new URL('../src/api/schema.d.ts', import.meta.url);

const types = astToString(await openapi(contract));
const before = await readFile(target, 'utf8').catch(() => '');
// Left alone where nothing changed, so that a running vite does not start over.
if (before !== types) await writeFile(target, types);
