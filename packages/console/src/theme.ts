import { signal } from '@preact/signals';

const KEY = 'tenon-theme';

export type Theme = 'system' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const stored = localStorage.getItem(KEY);
export const theme = signal<Theme>(THEMES.find(each => each === stored) ?? 'system');
applyTheme();

/** Switches to the next theme. */
export function switchTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  localStorage.setItem(KEY, theme.value);
  applyTheme();
}

function applyTheme(): void {
  document.documentElement.style.colorScheme = theme.value === 'system' ? 'light dark' : theme.value;
}
