import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE, decoded, href, router } from './router.svelte';

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

  it('does not go back to what is shown already', async () => {
    router.go('/explorer?play=e2e4');
    router.go('/explorer?play=e2e4,e7e5');
    router.go('/explorer?play=e2e4', 'step');
    router.go('/explorer?play=e2e4,e7e5', 'step');
    history.back();
    await vi.waitFor(() => expect(location.search).toBe('?play=e2e4'));
    expect(router.query.get('play')).toBe('e2e4');
    expect(router.returned).toBe(true);
  });

  it('lets an address take the place of one that said less', async () => {
    router.go('/games');
    router.go('/review');
    const before = history.length;
    router.go('/review?id=x', 'replace');
    expect([history.length, router.query.get('id'), router.returned]).toEqual([before, 'x', false]);
    history.back();
    await vi.waitFor(() => expect(router.path).toBe('/games'));
  });

  it('does not visit where it already is', () => {
    const before = history.length;
    router.go('/explorer');
    expect(history.length).toBe(before);
  });
});

describe('the place on a page', () => {
  let stop: () => void;
  /** How far the page can be scrolled. */
  let room = 0;
  const length = vi.fn(() => room + window.innerHeight);

  beforeEach(() => {
    vi.useFakeTimers();
    room = 0;
    Object.defineProperty(document.documentElement, 'scrollHeight', { configurable: true, get: length });
    vi.spyOn(window, 'scrollTo').mockImplementation(((_: number, y: number) => {
      Object.defineProperty(window, 'scrollY', { configurable: true, value: Math.min(y, room) });
    }) as typeof window.scrollTo);
    history.replaceState({ scroll: 700 }, '', '/openings/c50');
    stop = router.start();
  });

  afterEach(() => {
    stop();
    vi.useRealTimers();
    window.scrollTo(0, 0);
    Reflect.deleteProperty(document.documentElement, 'scrollHeight');
    Reflect.deleteProperty(window, 'scrollY');
  });

  it('is come back to when the page is long enough, also after it was loaded anew', () => {
    vi.advanceTimersByTime(100);
    expect(window.scrollY).toBe(0);
    room = 300;
    vi.advanceTimersByTime(100);
    expect(window.scrollY).toBe(300);
    // What is on the way there is not remembered instead.
    window.dispatchEvent(new Event('scrollend'));
    window.dispatchEvent(new Event('pagehide'));
    expect(history.state).toMatchObject({ scroll: 700 });
    room = 900;
    vi.advanceTimersByTime(100);
    expect(window.scrollY).toBe(700);
    window.scrollTo(0, 800);
    window.dispatchEvent(new Event('pagehide'));
    expect(history.state).toMatchObject({ scroll: 800 });
  });

  it.each(['wheel', 'keydown', 'pointerdown', 'touchmove'])('is the reader’s from the first %s on', (act) => {
    vi.advanceTimersByTime(100);
    window.dispatchEvent(new Event(act));
    room = 900;
    vi.advanceTimersByTime(100);
    expect(window.scrollY).toBe(0);
  });

  it('is not waited for for ever, nor on the next page', () => {
    router.go('/tactics');
    room = 900;
    vi.advanceTimersByTime(100);
    expect(window.scrollY).toBe(0);
    room = 0;
    window.dispatchEvent(new PopStateEvent('popstate', { state: { scroll: 700 } }));
    vi.advanceTimersByTime(PATIENCE + 100);
    room = 900;
    vi.advanceTimersByTime(100);
    expect(window.scrollY).toBe(0);
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
