import { type Check, describeMismatch, requireResult } from '@tenon/base';
import type { Model } from './model.js';

/**
 * Models that each server may use. A key is the configured name of a server, or `*` for all servers without a key.
 * `true` allows all models, `false` none, and a list allows the named ones (`*` matches any characters).
 *
 * Servers without a matching key may use none. A function receives the server and the principal.
 */
export type Allow =
  | { readonly [server: string]: boolean | readonly string[] }
  | ((asking: { readonly server: string; readonly principal: string | undefined }) => boolean | readonly string[]);

/** Checks what a server may use: all models, none, or those of a list. */
export const checkGrant: Check = value =>
  typeof value === 'boolean' || (Array.isArray(value) && value.every(each => typeof each === 'string'))
    ? undefined
    : describeMismatch('true, false or an array of names', value);

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
  if (typeof allow === 'function') {
    const granted = allow(asking);
    requireResult('the result of `allow` of createBroker', granted, checkGrant, 'options/invalid');
    return granted;
  }
  if (Object.hasOwn(allow, asking.server)) return allow[asking.server] ?? false;
  return (Object.hasOwn(allow, '*') && allow['*']) || false;
}

/** Matches a pattern without a regular expression, because some patterns would be slow. */
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
