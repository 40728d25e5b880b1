import { theme } from './console-state.js';
import { applyTheme, storeTheme, type Theme } from './stored-theme.js';

/** Switches to the next theme. The first one is not that of the system, so that each switch but the last changes the colors. */
export function switchTheme(): void {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const order: readonly Theme[] = isDark ? ['system', 'light', 'dark'] : ['system', 'dark', 'light'];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'system';
  storeTheme(theme.value);
  applyTheme(theme.value);
}
