import { signal } from '@preact/signals';

const KEY = 'tenon-theme';

export type Theme = 'system' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const stored = localStorage.getItem(KEY);
export const theme = signal<Theme>(THEMES.find(each => each === stored) ?? 'system');
applyTheme();

/** Switches to the next theme. The first one is not that of the system, so that each switch but the last changes the colors. */
export function switchTheme(): void {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const order: readonly Theme[] = isDark ? ['system', 'light', 'dark'] : ['system', 'dark', 'light'];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'system';
  localStorage.setItem(KEY, theme.value);
  applyTheme();
}

function applyTheme(): void {
  document.documentElement.style.colorScheme = theme.value === 'system' ? 'light dark' : theme.value;
}
