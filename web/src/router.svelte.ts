// Where we are. The address is the state: everything a page shows can be shared, bookmarked and gone back to.

/**
 * How an address was reached. Steps through a line take each other's place in the history; an address that says better what is
 * shown already replaces the one before; everything else is a visit.
 */
type Kind = 'visit' | 'step' | 'replace';

interface Saved {
  kind?: Kind;
  scroll?: number;
  /** The address of the entry before, which steps may lead to again. */
  before?: string;
}

/** How long a page that loads is waited for until it is as long as it was: milliseconds. */
export const PATIENCE = 5000;

/** What a reader does who wants to be elsewhere. */
const ACTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

class Router {
  path = $state(location.pathname);
  search = $state(location.search);
  query = $derived(new URLSearchParams(this.search));
  /** Whether Back or Forward led here. */
  returned = false;
  /** The entry that is shown, and the one before it. */
  #shown = location.href;
  #before: string | undefined;
  /** Ends the search for a place on a page that still loads. */
  #settle: (() => void) | null = null;

  /** Listens until the returned function is called. */
  start(): () => void {
    history.scrollRestoration = 'manual';
    const back = (event: PopStateEvent) => {
      // Steps may have led where they began: back shall not show the same again.
      const again = this.#shown === location.href && this.#before === location.href;
      this.returned = true;
      this.#read();
      this.#restore((event.state as Saved | null)?.scroll ?? 0);
      if (again) history.back();
    };
    const remember = () => this.#remember();
    this.#read();
    // Loaded anew, a page is where it was.
    const { scroll } = (history.state as Saved | null) ?? {};
    if (scroll) this.#restore(scroll);
    window.addEventListener('popstate', back);
    window.addEventListener('scrollend', remember);
    window.addEventListener('pagehide', remember);
    document.addEventListener('click', this.#follow);
    return () => {
      this.#settle?.();
      window.removeEventListener('popstate', back);
      window.removeEventListener('scrollend', remember);
      window.removeEventListener('pagehide', remember);
      document.removeEventListener('click', this.#follow);
    };
  }

  go(href: string, kind: Kind = 'visit'): void {
    const target = new URL(href, location.href);
    if (target.pathname === location.pathname && target.search === location.search) return;
    const samePage = target.pathname === location.pathname;
    const state: Saved = { kind, scroll: samePage ? window.scrollY : 0 };
    const now = history.state as Saved | null;
    if (kind === 'replace' || (kind === 'step' && now?.kind === 'step')) {
      history.replaceState({ ...state, before: now?.before }, '', target);
    } else {
      this.#remember();
      history.pushState({ ...state, before: location.href }, '', target);
    }
    this.#settle?.();
    this.returned = false;
    this.#read();
    if (!samePage) window.scrollTo(0, 0);
  }

  #remember(): void {
    // Where the reader shall be is remembered already.
    if (this.#settle) return;
    history.replaceState({ ...(history.state as Saved | null), scroll: window.scrollY }, '');
  }

  #read(): void {
    this.path = location.pathname;
    this.search = location.search;
    this.#shown = location.href;
    this.#before = (history.state as Saved | null)?.before;
  }

  /** Scrolls there as soon as the page is long enough, unless the reader does something first. */
  #restore(scroll: number): void {
    this.#settle?.();
    const until = performance.now() + PATIENCE;
    let frame = 0;
    let height = -1;
    const look = () => {
      const now = document.documentElement.scrollHeight;
      if (now !== height) window.scrollTo(0, scroll);
      height = now;
      if (Math.abs(window.scrollY - scroll) < 2 || performance.now() > until) settle();
      else frame = requestAnimationFrame(look);
    };
    const settle = () => {
      cancelAnimationFrame(frame);
      for (const event of ACTS) window.removeEventListener(event, settle, true);
      this.#settle = null;
    };
    for (const event of ACTS) window.addEventListener(event, settle, { capture: true, passive: true });
    this.#settle = settle;
    frame = requestAnimationFrame(look);
  }

  /** Links are followed without loading the page anew, unless they lead elsewhere or a new tab was asked for. */
  #follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link?.href || link.target || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || link.dataset.server !== undefined) return;
    if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    this.go(link.href);
  };
}

export const router = new Router();

/** A part of an address as it is read; as it stands where it was not written by anybody who knows how. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** An address with these parameters; empty ones are left out. Commas and slashes stay readable. */
export function href(path: string, parameters: Record<string, string | number | null | undefined> = {}): string {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value)).replaceAll('%2C', ',').replaceAll('%2F', '/')}`)
    .join('&');
  return query ? `${path}?${query}` : path;
}
