import { defineConfig, mergeConfig } from 'vitest/config';
import e2e from './vitest.e2e.config';

// Pictures of every page for docs/screenshots, taken of the real server over the sample games.
const config = mergeConfig(e2e, defineConfig({}));
config.test!.include = ['tests/e2e/screenshots.ts'];
export default config;
