import { defineConfig } from 'vitest/config';

// The page in a real browser against a real server; see tests/e2e/setup.ts for what is started.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['tests/e2e/**/*.e2e.ts'],
    globalSetup: ['tests/e2e/setup.ts'],
    // One browser at a time: replay and progress are tested by the clock.
    fileParallelism: false,
    // The machine may be busy with something else: what is waited for comes, but not soon.
    testTimeout: 240_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
