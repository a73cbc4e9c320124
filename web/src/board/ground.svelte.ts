// chessground as a Svelte attachment: one instance for the life of the element, told what changed.

import { Chessground } from 'chessground';
import type { Config } from 'chessground/config';
import type { DrawBrush } from 'chessground/draw';
import { untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';

const brush = (key: string, color: string): DrawBrush => ({ key, color, opacity: 0.85, lineWidth: 9 });

/** Colours come from the tokens, so arrows follow the theme. */
const brushes = {
  green: brush('g', 'var(--accent)'),
  red: brush('r', 'var(--alarm)'),
  blue: brush('b', 'var(--c-critical)'),
  yellow: brush('y', 'var(--c-inaccuracy)'),
};

export function ground(config: () => Config): Attachment<HTMLElement> {
  return (element) => {
    const first = untrack(config);
    const api = Chessground(element, {
      disableContextMenu: true,
      ...first,
      animation: { duration: 150, ...first.animation },
      drawable: { ...first.drawable, brushes },
    });
    $effect(() => api.set(config()));
    return () => api.destroy();
  };
}
