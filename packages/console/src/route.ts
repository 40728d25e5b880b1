import { signal } from '@preact/signals';
import { decodePathPart, encodePathPart } from '@tenon/base';

/** Address of the view. */
export interface Route {
  /** Decoded parts of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const readRoute = (): Route => ({
  path: location.pathname.split('/').filter(Boolean).map(decodePathPart),
  query: new URLSearchParams(location.search),
});

export const route = signal<Route>(readRoute());

/** Reads the number of a call or a message in an address. `undefined`: the text is no such number. */
export const readNumber = (text: string | null | undefined): number | undefined =>
  /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined;

/** Shows another view. `replace` keeps the history as it is. */
export function navigate(address: string, replace = false): void {
  if (address === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  route.value = readRoute();
}

/** Changes members of the query. `null` removes one. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(`${location.pathname}${text === '' ? '' : `?${text}`}`, true);
}

/** Address of a server, or of one of its tools. */
export const toServerPath = (server: string, tool?: string): string =>
  `/s/${encodePathPart(server)}${tool === undefined ? '' : `/tools/${encodePathPart(tool)}`}`;

/** Address of a recording. */
export const toRecordingPath = (name: string): string => `/recordings/${encodePathPart(name)}`;

/** Address of a call on several protocol versions. */
export const toComparePath = (call: number, versions: readonly string[] = []): string =>
  `/compare?call=${call}${versions.length === 0 ? '' : `&versions=${versions.join(',')}`}`;

/** Follows links of the page without loading it again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    route.value = readRoute();
  });
  addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    if (link.origin !== location.origin || link.target !== '') return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
