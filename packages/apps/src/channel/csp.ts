import { isObject } from './messages.js';
import type { AppCsp } from './ui-types.js';

const SOURCES = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

/**
 * An origin, with an optional wildcard for the first label of its host: `https://api.example.com`, `https://*.example.com`,
 * `wss://example.com:8443`. Spaces, semicolons, quotes, commas, paths and keywords would change the policy.
 */
const ORIGIN =
  /^(?:https?|wss?):\/\/(?:\*\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?::\d{1,5})?$/;
const MAX_ORIGINS = 100;
const MAX_ORIGIN_LENGTH = 300;

/** Tells if a text may be a source in a content security policy of an app. */
export function isCspOrigin(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_ORIGIN_LENGTH && ORIGIN.test(value);
}

/** Reads the origins of a server, and leaves out all entries that are not origins. Each is reported. */
export function readCsp(value: unknown, report: (problem: string) => void = () => {}): AppCsp {
  if (!isObject(value)) return {};
  const csp: { -readonly [K in keyof AppCsp]: readonly string[] } = {};
  for (const key of SOURCES) {
    const list = value[key];
    if (list === undefined) continue;
    if (!Array.isArray(list) || list.length > MAX_ORIGINS) {
      report(`${key}: expected a list of at most ${MAX_ORIGINS} origins`);
      continue;
    }
    for (const origin of list)
      if (!isCspOrigin(origin)) report(`${key}: ${JSON.stringify(origin)?.slice(0, 100)} is not an origin`);
    csp[key] = list.filter(isCspOrigin);
  }
  return csp;
}

/**
 * Composes the content security policy of a page. It allows inline scripts and styles, data URLs, and the declared origins;
 * everything else is blocked.
 */
export function composePolicy(csp: AppCsp): string {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp;
  const resources = (...own: readonly string[]) => [...own, ...resourceDomains].join(' ');
  const listed = (origins: readonly string[], otherwise: string) =>
    origins.length > 0 ? origins.join(' ') : otherwise;
  return [
    "default-src 'none'",
    `script-src ${resources("'self'", "'unsafe-inline'")}`,
    `style-src ${resources("'self'", "'unsafe-inline'")}`,
    `img-src ${resources("'self'", 'data:')}`,
    `media-src ${resources("'self'", 'data:')}`,
    `font-src ${resources("'self'", 'data:')}`,
    `connect-src ${listed(connectDomains, "'none'")}`,
    `frame-src ${listed(frameDomains, "'none'")}`,
    `base-uri ${listed(baseUriDomains, "'self'")}`,
    "object-src 'none'",
    "form-action 'none'",
  ].join('; ');
}
