import { takeToken } from './session.js';
import { applyTheme, readStoredTheme } from './stored-theme.js';

// Part of index.html, so that the frame is drawn at once, in the colors that the user chose.
applyTheme(readStoredTheme());
// The address has the token no longer than needed, also if the user leaves the page before its scripts are loaded.
takeToken();
if (document.hidden) loadFiles();
// Other files come after the first frame: loading and compiling them would delay it.
else requestAnimationFrame(() => setTimeout(loadFiles));

/** Loads the styles and scripts that index.html names. The page is drawn by its main script, with its styles. */
function loadFiles(): void {
  const files = document.querySelector('template')?.content;
  const main = files?.querySelector<HTMLLinkElement>('link[rel=modulepreload]')?.href;
  files?.querySelector('link[rel=stylesheet]')?.addEventListener('load', () => void import(main ?? ''));
  if (files) document.head.append(files);
}
