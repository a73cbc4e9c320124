/**
 * Scrolls a list, and never the page itself, so that a row of it can be seen; `above` is what lies over its upper edge. A row
 * that cannot be seen comes to the middle.
 */
export function keepInView(list: HTMLElement, row: HTMLElement, above = 0): void {
  const box = list.getBoundingClientRect();
  const { top, bottom } = row.getBoundingClientRect();
  if (top < box.top + above || bottom > box.bottom) list.scrollTop += top - box.top - list.clientHeight / 2;
}
