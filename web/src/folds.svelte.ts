// What was folded and unfolded, or how far, by page; kept for as long as the tab.

import { SvelteMap } from 'svelte/reactivity';

export class Folds<T = boolean> {
  readonly chosen: SvelteMap<string, T>;

  constructor(private readonly name: string) {
    this.chosen = new SvelteMap(restored<T>(name));
  }

  set(key: string, open: T): void {
    this.chosen.set(key, open);
    try {
      sessionStorage.setItem(`tabiya.folds.${this.name}`, JSON.stringify([...this.chosen]));
    } catch {
      // Then folds last as long as the page.
    }
  }
}

function restored<T>(name: string): [string, T][] {
  try {
    return JSON.parse(sessionStorage.getItem(`tabiya.folds.${name}`) ?? '[]') as [string, T][];
  } catch {
    return [];
  }
}
