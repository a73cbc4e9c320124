import { expect, it } from 'vitest';
import { textOf } from './textOf';

const file = (bytes: number[]) => ({ arrayBuffer: async () => new Uint8Array(bytes).buffer }) as Blob;

it.each([
  ['UTF-8', [0x4d, 0xc3, 0xbc]],
  ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, 0x4d, 0xc3, 0xbc]],
  ['Windows-1252', [0x4d, 0xfc]],
  ['UTF-16, little end first', [0xff, 0xfe, 0x4d, 0, 0xfc, 0]],
  ['UTF-16, big end first', [0xfe, 0xff, 0, 0x4d, 0, 0xfc]],
])('reads %s', async (_, bytes) => {
  expect(await textOf(file(bytes))).toBe('Mü');
});
