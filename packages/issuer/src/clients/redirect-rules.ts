import { isObject } from '@tenon/base';
import { checkMembers, createOptionError } from '../option-error.js';
import { isLoopbackUri, isRedirectUri } from './redirect-uri.js';

/**
 * Rule that allows redirect URIs.
 *
 * - An absolute URI allows exactly this URI. It is compared byte for byte, so there are no patterns.
 * - `loopback` allows `http:` URIs on loopback, with any port and path.
 * - `same-origin` allows URIs on the origin of the metadata document that describes the client.
 * - An object allows URIs for one client only, by its client ID.
 */
export type RedirectRule = string | { readonly client: string; readonly redirects: readonly string[] };

/**
 * Creates the function that tells if a client may use a redirect URI. Without rules, it allows every URI.
 *
 * @throws TenonError `auth/issuer-options` for an invalid rule.
 */
export function createRedirectCheck(
  rules: readonly RedirectRule[] | undefined,
  schemes: readonly string[],
): (uri: string, client: string) => boolean {
  if (rules === undefined) return () => true;
  for (const rule of rules) checkRule(rule, schemes);
  return (uri, client) =>
    rules.some(rule =>
      typeof rule === 'string'
        ? allows(rule, uri, client)
        : rule.client === client && rule.redirects.some(each => allows(each, uri, client)),
    );
}

function allows(rule: string, uri: string, client: string): boolean {
  if (rule === 'loopback') return isLoopbackUri(uri);
  if (rule === 'same-origin') return isOnOrigin(uri, client);
  return rule === uri;
}

/** Tells if a URI is on the origin of a metadata document. Clients without a document have no origin. */
function isOnOrigin(uri: string, client: string): boolean {
  if (!/^https?:\/\//.test(client) || !/^https?:\/\//.test(uri)) return false;
  return new URL(uri).origin === new URL(client).origin;
}

function checkRule(rule: unknown, schemes: readonly string[]): void {
  if (typeof rule === 'string') return checkUriRule(rule, schemes);
  if (!isObject(rule)) throw createOptionError('redirectRules', 'texts and objects', typeof rule);
  checkMembers('redirectRules', rule, ['client', 'redirects']);
  if (typeof rule.client !== 'string' || !Array.isArray(rule.redirects))
    throw createOptionError('redirectRules', '`client` and a list `redirects` in each object', 'another object');
  for (const each of rule.redirects) checkUriRule(each, schemes);
}

function checkUriRule(rule: unknown, schemes: readonly string[]): void {
  if (rule === 'loopback' || rule === 'same-origin') return;
  // A wildcard would look like a pattern, but is compared byte for byte.
  if (typeof rule === 'string' && !rule.includes('*') && isRedirectUri(rule, 'native', schemes)) return;
  throw createOptionError('redirectRules', '`loopback`, `same-origin` or exact redirect URIs', String(rule));
}
