import { isObject, parseUrl, redactSecrets } from '@tenon/base';
import type { CspFinding } from '@tenon/console/api';
import { sliceText } from '../json-part.js';

/** Maximum length of a URL of a finding, in characters. */
const MAX_URL = 500;
/** Maximum length of the name of a directive, in characters. */
const MAX_NAME = 100;

/** Member of `_meta.ui.csp` that allows origins for a directive, by the beginning of its name. */
const MEMBERS: readonly (readonly [directive: RegExp, member: NonNullable<CspFinding['member']>])[] = [
  [/^connect-src$/, 'connectDomains'],
  [/^(?:script|style|img|font|media)-src/, 'resourceDomains'],
  [/^(?:frame|child)-src$/, 'frameDomains'],
  [/^base-uri$/, 'baseUriDomains'],
];

/**
 * Reads the report of a browser about a violated policy. The query of the blocked URL and its secrets are left out.
 * Returns `undefined` for a body that is no report.
 */
export function readCspReport(body: unknown): CspFinding | undefined {
  const report = isObject(body) ? body['csp-report'] : undefined;
  if (!isObject(report)) return undefined;
  const name = report['effective-directive'] ?? report['violated-directive'];
  const blocked = report['blocked-uri'];
  if (typeof name !== 'string' || typeof blocked !== 'string') return undefined;
  // Older browsers send the sources of the directive as well.
  const directive = sliceText(name.trim().split(/\s/)[0] ?? '', 0, MAX_NAME);
  if (directive === '') return undefined;
  const url = parseUrl(blocked);
  const isWeb = url !== undefined && /^(?:https?|wss?):$/.test(url.protocol);
  const member = isWeb ? MEMBERS.find(([pattern]) => pattern.test(directive))?.[1] : undefined;
  return {
    directive,
    blocked: describeBlocked(blocked, url),
    member: member ?? null,
    origin: member && url ? sliceText(`${url.protocol}//${url.host}`, 0, MAX_URL) : null,
  };
}

/** Returns a URL without user name, query and fragment. A `data:` URL contains the content, so that its scheme is left. */
function describeBlocked(text: string, url: URL | undefined): string {
  if (!url) return sliceText(redactSecrets(text.split(/[?#]/)[0] ?? ''), 0, MAX_NAME);
  if (url.host === '') return url.protocol;
  return sliceText(redactSecrets(`${url.protocol}//${url.host}${url.pathname}`), 0, MAX_URL);
}
