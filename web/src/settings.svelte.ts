// What somebody chose, kept in this browser: the theme, and how moves are written.

export type Theme = 'system' | 'light' | 'dark';

function kept(key: string): string | null {
  try {
    return localStorage.getItem(`tabiya.${key}`);
  } catch {
    return null; // Storage may be forbidden; then a choice lasts as long as the page.
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`tabiya.${key}`, value);
  } catch {
    // As above.
  }
}

class Settings {
  theme = $state<Theme>(asTheme(kept('theme')));
  figurines = $state(kept('figurines') === 'yes');

  /** Light and dark in turn; what the system says is the first choice and can be come back to. */
  nextTheme(): void {
    const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
    const order: Theme[] = dark ? ['system', 'light', 'dark'] : ['system', 'dark', 'light'];
    this.choose(order[(order.indexOf(this.theme) + 1) % order.length] ?? 'system');
  }

  choose(theme: Theme): void {
    this.theme = theme;
    keep('theme', this.theme);
    this.apply();
  }

  toggleFigurines(): void {
    this.figurines = !this.figurines;
    keep('figurines', this.figurines ? 'yes' : 'no');
  }

  apply(): void {
    if (this.theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }
}

function asTheme(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system';
}

export const settings = new Settings();

const FIGURINES: Record<string, string> = { K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘' };

/** SAN as it was chosen to be shown. */
export function shown(san: string): string {
  // U+FE0E keeps phones from drawing the chessmen as emoji.
  return settings.figurines ? san.replaceAll(/[KQRBN]/g, (piece) => `${FIGURINES[piece]}\uFE0E`) : san;
}
