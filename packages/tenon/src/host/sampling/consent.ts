import type { Model } from './model.js';

/**
 * Which servers may use which models. By the name of the server as it is configured, `*` for those that are not named:
 * `true` for all models, a list of their names (`*` stands for any characters), `false` for none. A server that is not
 * named, where there is no `*`, has none. Or a function of who asks.
 */
export type Allow =
  | { readonly [server: string]: boolean | readonly string[] }
  | ((asking: { readonly server: string; readonly principal: string | undefined }) => boolean | readonly string[]);

export function requestConsent(
  models: readonly Model[],
  allow: Allow | undefined,
  asking: { readonly server: string; readonly principal: string | undefined },
): readonly Model[] {
  const granted = grantOf(allow, asking);
  if (typeof granted === 'boolean') return granted ? models : [];
  return models.filter(({ name }) => granted.some(pattern => matches(pattern, name)));
}

function grantOf(allow: Allow | undefined, asking: Parameters<typeof requestConsent>[2]): boolean | readonly string[] {
  if (allow === undefined) return true;
  if (typeof allow === 'function') return allow(asking);
  if (Object.hasOwn(allow, asking.server)) return allow[asking.server] ?? false;
  return (Object.hasOwn(allow, '*') && allow['*']) || false;
}

/** Without a regular expression of the pattern: nothing in it can make the search slow. */
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
