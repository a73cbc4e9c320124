/** hangingPiece as people write it. */
export function spaced(tag: string): string {
  return tag.replaceAll(/[_-]/g, ' ').replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2').toLowerCase();
}
