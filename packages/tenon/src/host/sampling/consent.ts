import type { Model } from './model.js';

/**
 * The models that each server may use. A key is the configured name of a server, or `*` for the servers that have no key. `true`
 * allows all models, a list allows those it names (`*` stands for any characters), `false` allows none. A server without a key,
 * where there is no `*`, has none. A function gets the server and the principal.
 */
export type Allow =
  | { readonly [server: string]: boolean | readonly string[] }
  | ((asking: { readonly server: string; readonly principal: string | undefined }) => boolean | readonly string[]);

export function requestConsent(
  models: readonly Model[],
  allow: Allow | undefined,
  asking: { readonly server: string; readonly principal: string | undefined },
): readonly Model[] {
  const granted = getGrant(allow, asking);
  if (typeof granted === 'boolean') return granted ? models : [];
  return models.filter(({ name }) => granted.some(pattern => matches(pattern, name)));
}

function getGrant(allow: Allow | undefined, asking: Parameters<typeof requestConsent>[2]): boolean | readonly string[] {
  if (allow === undefined) return true;
  if (typeof allow === 'function') return allow(asking);
  if (Object.hasOwn(allow, asking.server)) return allow[asking.server] ?? false;
  return (Object.hasOwn(allow, '*') && allow['*']) || false;
}

/** Matches without a regular expression, because a pattern could make one slow. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}
