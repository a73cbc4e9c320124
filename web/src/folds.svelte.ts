// What was folded and unfolded, by page; kept for as long as the tab.

import { SvelteMap } from 'svelte/reactivity';

export class Folds {
  readonly chosen: SvelteMap<string, boolean>;

  constructor(private readonly name: string) {
    this.chosen = new SvelteMap(restored(name));
  }

  set(key: string, open: boolean): void {
    this.chosen.set(key, open);
    try {
      sessionStorage.setItem(`tabiya.folds.${this.name}`, JSON.stringify([...this.chosen]));
    } catch {
      // Then folds last as long as the page.
    }
  }
}

function restored(name: string): [string, boolean][] {
  try {
    return JSON.parse(sessionStorage.getItem(`tabiya.folds.${name}`) ?? '[]') as [string, boolean][];
  } catch {
    return [];
  }
}
