// The pages, as the navigation names them. All but the first load when they are opened.

import type { Component } from 'svelte';
import Explorer from './explorer/Explorer.svelte';
import type { IconName } from './frame/Icon.svelte';

export interface Page {
  path: string;
  title: string;
  icon: IconName;
  load: () => Component | Promise<Component>;
}

export const pages: Page[] = [
  { path: '/explorer', title: 'Explorer', icon: 'explorer', load: () => Explorer },
  { path: '/openings', title: 'Openings', icon: 'openings', load: async () => (await import('./openings/Openings.svelte')).default },
  { path: '/games', title: 'Games', icon: 'games', load: async () => (await import('./games/Games.svelte')).default },
  { path: '/review', title: 'Review', icon: 'review', load: async () => (await import('./review/Review.svelte')).default },
  { path: '/tactics', title: 'Tactics', icon: 'tactics', load: async () => (await import('./tactics/Tactics.svelte')).default },
];

/** The page of an address; /openings/c50-italian-game belongs to /openings. */
export function pageOf(path: string): Page | undefined {
  if (path === '/' || path === '/index.html') return pages[0];
  return pages.find((page) => path === page.path || path.startsWith(`${page.path}/`));
}
