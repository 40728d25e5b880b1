import { repeatLast } from './actions.js';
import { canChange, getLastCall } from './console-state.js';
import { paletteText } from './palette/palette-host.js';
import { findKeyAddress } from './parts/frame.js';
import { isHelpOpen } from './parts/key-help.js';
import { navigate, readNumber, route, setQuery, toComparePath } from './route.js';
import { switchTheme } from './theme.js';

/** Listens to the keys that work in every view. Fields get their own keys. */
export function listenForKeys(): void {
  addEventListener('keydown', event => {
    const { target, key } = event;
    if (paletteText.value !== null) return typeBeforePalette(event, paletteText.value);
    if (key === 'Escape') return leave(target);
    if (key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      paletteText.value = '';
      return;
    }
    if (isField(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const address = findKeyAddress(key);
    if (address !== undefined) navigate(address);
    else if (key === '/') document.querySelector<HTMLElement>('[data-focus]')?.focus();
    else if (key === '?') isHelpOpen.value = !isHelpOpen.value;
    else if (key === 't') switchTheme();
    else if (key === 'r') repeatLast();
    else if (key === 'v') compareLast();
    else if (key === 'y' || key === 'e' || key === 'n')
      document.querySelector<HTMLElement>(`[data-key="${key}"]`)?.click();
    else return;
    event.preventDefault();
  });
}

/** Keeps keys for the palette while its code is loaded. Otherwise they would act on the view, or type into its field. */
function typeBeforePalette(event: KeyboardEvent, text: string): void {
  const { key } = event;
  if (key === 'Escape') paletteText.value = null;
  else if (key === 'Backspace') paletteText.value = text.slice(0, -1);
  else if (key.length === 1 && !event.ctrlKey && !event.metaKey) paletteText.value = text + key;
  event.preventDefault();
}

/** Tells if a key belongs to a field of a form. */
export const isField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && target.matches('input, textarea, select');

function leave(target: EventTarget | null): void {
  if (isHelpOpen.value) isHelpOpen.value = false;
  else if (isField(target)) target.blur();
  else setQuery({ at: null });
}

/** Compares the call of the view, or else the last one. */
function compareLast(): void {
  const [view, id] = route.value.path;
  const last = (view === 'call' ? readNumber(id) : undefined) ?? getLastCall();
  if (last > 0 && canChange.value) navigate(toComparePath(last));
}
