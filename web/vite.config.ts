import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

const server = process.env.TABIYA_SERVER ?? 'http://127.0.0.1:8000';

// What the server answers itself; every other address is a page of ours.
const api = [
  'data',
  'games/analyze',
  'healthz',
  'node',
  'opening',
  'openings',
  'position',
  'readyz',
  'review',
  'stats',
  'structure',
  'structures',
  'tactics',
];

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  build: { target: 'es2022', assetsInlineLimit: 8192 },
  server: {
    host: '127.0.0.1',
    // A browser that navigates wants the page, a script that asks wants the answer: /review and /tactics are both.
    proxy: Object.fromEntries(
      api.map((name) => [
        `^/${name}(/|\\?|$)`,
        {
          target: server,
          bypass: (request: { headers: { accept?: string } }) =>
            request.headers.accept?.includes('text/html') ? '/index.html' : undefined,
        },
      ]),
    ),
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['tests/setup.ts'],
    restoreMocks: true,
    // Two cores may be busy with something else.
    testTimeout: 30_000,
  },
});
