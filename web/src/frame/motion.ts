/** Whether nothing is to move by itself; what CSS moves, base.css stops. */
export function still(): boolean {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Brings an element into view, gliding where that is welcome. */
export function bring(element: HTMLElement, block: ScrollLogicalPosition): void {
  element.scrollIntoView({ block, behavior: still() ? 'auto' : 'smooth' });
}
