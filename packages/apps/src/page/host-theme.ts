import type { HostContext } from '../channel/ui-types.js';
import type { PageWindow } from './page-window.js';

/** Applies the theme of a host to the document: color scheme, CSS variables and fonts. Loads each font CSS once. */
export function createThemeApplier({ document }: PageWindow): (context: HostContext) => void {
  let loadedFonts: string | undefined;
  return ({ theme, styles }) => {
    const root = document.documentElement;
    if (theme === 'light' || theme === 'dark') {
      root.style.colorScheme = theme;
      root.setAttribute('data-theme', theme);
    }
    for (const [name, value] of Object.entries(styles?.variables ?? {}))
      if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value);
    const fonts = styles?.css?.fonts;
    if (typeof fonts !== 'string' || fonts === loadedFonts) return;
    loadedFonts = fonts;
    const style = document.createElement('style');
    style.textContent = fonts;
    document.head.append(style);
  };
}
