import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decoded, href, router } from './router.svelte';

describe('the router', () => {
  let stop: () => void;
  beforeEach(() => {
    stop = router.start();
    router.go('/explorer');
  });
  afterEach(() => stop());

  it('follows links of its own without loading the page', () => {
    document.body.innerHTML = '<a href="/openings?q=naj"><b>Openings</b></a>';
    document.querySelector('b')?.click();
    expect(router.path).toBe('/openings');
    expect(router.query.get('q')).toBe('naj');
  });

  it('leaves links to other places, downloads and the server’s own pages alone', () => {
    for (const link of ['href="/x" download', 'href="/docs" data-server', 'href="https://example.org/"', 'href="/x" target="_blank"']) {
      document.body.innerHTML = `<a ${link}>x</a>`;
      let taken: boolean | undefined;
      // The window hears of it last: what nobody took by then the browser would follow.
      const last = (event: Event) => {
        taken = event.defaultPrevented;
        event.preventDefault();
      };
      window.addEventListener('click', last, { once: true });
      document.querySelector('a')?.click();
      expect([link, taken]).toEqual([link, false]);
      expect(router.path).toBe('/explorer');
    }
  });

  it('lets steps take each other’s place, so that back leaves the walk', () => {
    const before = history.length;
    router.go('/explorer?play=e2e4,e7e5');
    router.go('/explorer?play=e2e4', 'step');
    router.go('/explorer', 'step');
    router.go('/explorer?play=e2e4', 'step');
    expect(history.length).toBe(before + 2);
    expect(router.query.get('play')).toBe('e2e4');
  });

  it('does not visit where it already is', () => {
    const before = history.length;
    router.go('/explorer');
    expect(history.length).toBe(before);
  });
});

it('writes addresses that people can read', () => {
  expect(href('/explorer', { play: 'e2e4,e7e5', fen: '', collection: null })).toBe('/explorer?play=e2e4,e7e5');
  expect(href('/explorer')).toBe('/explorer');
  expect(href('/x', { fen: '8/8 w' })).toBe('/x?fen=8/8%20w');
});

it('reads parts of an address that nobody encoded', () => {
  expect(decoded('c50%2Ditalian')).toBe('c50-italian');
  expect(decoded('100%')).toBe('100%');
});
