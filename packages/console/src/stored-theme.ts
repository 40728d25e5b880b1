const KEY = 'tenon-theme';

export type Theme = 'system' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** Returns the theme that the user chose last. */
export function readStoredTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find(each => each === stored) ?? 'system';
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
}

export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
}
