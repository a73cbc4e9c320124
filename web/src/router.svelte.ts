// Where we are. The address is the state: everything a page shows can be shared, bookmarked and gone back to.

/** How an address was reached. Steps through a line take each other's place in the history; everything else is a visit. */
type Kind = 'visit' | 'step';

interface Saved {
  kind?: Kind;
  scroll?: number;
}

class Router {
  path = $state(location.pathname);
  search = $state(location.search);
  query = $derived(new URLSearchParams(this.search));

  /** Listens until the returned function is called. */
  start(): () => void {
    history.scrollRestoration = 'manual';
    const back = (event: PopStateEvent) => {
      this.#read();
      const scroll = (event.state as Saved | null)?.scroll ?? 0;
      requestAnimationFrame(() => window.scrollTo(0, scroll));
    };
    const remember = () => this.#remember();
    window.addEventListener('popstate', back);
    window.addEventListener('scrollend', remember);
    document.addEventListener('click', this.#follow);
    return () => {
      window.removeEventListener('popstate', back);
      window.removeEventListener('scrollend', remember);
      document.removeEventListener('click', this.#follow);
    };
  }

  go(href: string, kind: Kind = 'visit'): void {
    const target = new URL(href, location.href);
    if (target.pathname === location.pathname && target.search === location.search) return;
    const samePage = target.pathname === location.pathname;
    const state: Saved = { kind, scroll: samePage ? window.scrollY : 0 };
    if (kind === 'step' && (history.state as Saved | null)?.kind === 'step') {
      history.replaceState(state, '', target);
    } else {
      this.#remember();
      history.pushState(state, '', target);
    }
    this.#read();
    if (!samePage) window.scrollTo(0, 0);
  }

  #remember(): void {
    history.replaceState({ ...(history.state as Saved | null), scroll: window.scrollY }, '');
  }

  #read(): void {
    this.path = location.pathname;
    this.search = location.search;
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
