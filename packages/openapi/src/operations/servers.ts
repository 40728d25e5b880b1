import { isObject, parseWebUrl, toJsonObject } from '@tenon/base';
import type { DocumentSet, Located } from '../document/document-set.js';

/**
 * Returns the URL of an API: the first server of its document. A document without an absolute one has the first server of its
 * paths and operations.
 */
export function findApiUrl({ root: { value: document, location } }: DocumentSet): string | undefined {
  const own = document.servers === undefined ? undefined : findServerUrl({ value: document.servers, location });
  if (own !== undefined) return own;
  const items = Object.values(toJsonObject(document.paths)).filter(isObject);
  for (const holder of items.flatMap(item => [item, ...Object.values(item).filter(isObject)])) {
    const found = Array.isArray(holder.servers) ? findServerUrl({ value: holder.servers, location }) : undefined;
    if (found !== undefined) return found;
  }
  return findServerUrl({ value: document.servers, location });
}

/** Tells if paths can be added to a URL: it is absolute, and has no query, no fragment and no user. */
export function isApiUrl(text: string): boolean {
  const url = parseWebUrl(text);
  return url !== undefined && !/[?#]/.test(text) && url.username === '' && url.password === '';
}

/** Returns the first URL of a list of servers, with the defaults of its variables. `undefined` if it is not absolute, or one has none. */
function findServerUrl({ value: servers, location }: Located): string | undefined {
  const [server] = Array.isArray(servers) ? servers : [];
  const { url, variables } = toJsonObject(server);
  const filled = String(url ?? '/').replace(/\{([^{}]+)\}/g, (text, name: string) => {
    const variable = isObject(variables) ? variables[name] : undefined;
    return isObject(variable) ? String(variable.default ?? text) : text;
  });
  // Without the value of a variable, the URL would be that of another API.
  if (/[{}]/.test(filled)) return undefined;
  const absolute = /^https?:/i.test(location) ? parseWebUrl(filled, location) : parseWebUrl(filled);
  return absolute && /^https?:\/\//i.test(filled) ? filled : absolute?.href;
}

/**
 * Returns the base URL of an operation with servers of its own, and the reason if requests and credentials may not go to it.
 *
 * @param apiUrl First server of the document.
 * @param baseUrl URL in place of that server.
 */
export function resolveOwnServer(
  own: Located,
  apiUrl: string | undefined,
  baseUrl: string | undefined,
  allowedOrigins: readonly string[],
): { readonly url?: string } | { readonly reason: string } {
  if (!Array.isArray(own.value) || own.value.length === 0) return {};
  const found = findServerUrl(own);
  if (found === undefined) return { reason: 'the URL of its server is not absolute' };
  if (found === apiUrl) return {};
  if (!isApiUrl(found)) return { reason: 'the URL of its server has a query, a fragment or a user' };
  const { origin, pathname } = new URL(found);
  if (apiUrl !== undefined && origin === new URL(apiUrl).origin)
    return { url: baseUrl === undefined ? found : Object.assign(new URL(baseUrl), { pathname }).href };
  if (allowedOrigins.includes(origin) || (baseUrl !== undefined && origin === new URL(baseUrl).origin))
    return { url: found };
  return { reason: `its server ${origin} is not that of the API, and not in \`serverOrigins\`` };
}
