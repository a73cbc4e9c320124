// The keyboard map. A page says what its keys do while it is open; `?` lists them.

import { untrack } from 'svelte';

export interface Key {
  /** As `KeyboardEvent.key` says it, or `1-9` for all digits. */
  key: string;
  does: string;
  run: (event: KeyboardEvent) => void;
  /** How it is printed, where that differs. */
  shown?: string;
}

let map = $state.raw<{ title: string; keys: Key[] }[]>([]);

/** Binds a group of keys until the returned function is called; use it as the body of an `$effect`. */
export function bind(title: string, keys: Key[]): () => void {
  const group = { title, keys };
  // Not read on behalf of the effect that binds: it would bind again whenever another does.
  map = untrack(() => [...map, group]);
  return () => {
    map = untrack(() => map.filter((other) => other !== group));
  };
}

export function bound(): { title: string; keys: Key[] }[] {
  return map;
}

/** Handles a key press; the youngest group has the first say. */
export function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || chord(event)) return;
  if (writing(event.target)) return;
  // What has the focus is what Enter is meant for.
  if (event.key === 'Enter' && event.target instanceof Element && event.target.closest('a, button, summary, [role="treeitem"]')) return;
  // Behind an open dialog nothing moves; `?` closes the list it opened.
  if (event.key !== '?' && document.querySelector('dialog[open]')) return;
  for (const group of [...map].reverse()) {
    const key = group.keys.find((candidate) => matches(candidate.key, event.key));
    if (!key) continue;
    event.preventDefault();
    key.run(event);
    return;
  }
}

/** A chord is the browser's: Alt and ← go back. */
export function chord(event: KeyboardEvent): boolean {
  return event.metaKey || event.ctrlKey || event.altKey;
}

function matches(bound: string, pressed: string): boolean {
  return bound === pressed || (bound === '1-9' && /^[1-9]$/.test(pressed));
}

/** Whether keys are letters here: somebody writes, or chooses in a list that needs its arrows. */
function writing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
