import { hasInvisible, INVALID_PARAMS, parseUrl, requireKnownOptions, rpcError } from '@tenon/base';
import type { ElicitResult, ElicitUrlParams } from 'tenon';
import { describeDomain } from './domain-view.js';
import {
  createLinkWarnings,
  MAX_LABEL,
  MAX_MESSAGE,
  type SafeText,
  sanitizeForView,
  type ViewWarning,
} from './view-warning.js';

/**
 * URL elicitation, as data for a user interface. The URL was neither opened nor fetched.
 *
 * Open `url` unchanged in the user's own browser, and only after the user chose `open`. No other text may become a
 * link.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#safe-url-handling
 */
export interface UrlView {
  /** Discriminator: always `url`. */
  readonly kind: 'url';
  /** Name of the server in the configuration of the user, not the name that the server declares. */
  readonly server: string;
  /** Message of the server, safe to display. */
  readonly message: string;
  /** URL to open. Show it completely before the user agrees. */
  readonly url: string;
  /** URL in three parts. Emphasize `host`. */
  readonly parts: { readonly before: string; readonly host: string; readonly after: string };
  /** Host in Unicode. `undefined` if it equals `parts.host`. */
  readonly unicodeHost: string | undefined;
  /** Registrable domain of the host. Its owner receives the input of the user. */
  readonly site: string;
  /** Warnings to show with the URL. */
  readonly warnings: readonly ViewWarning[];
  /** Buttons to show. */
  readonly choices: readonly ['open', 'decline', 'cancel'];
  /**
   * Actions of the user after opening the page. The user needs them, because the server may never report the
   * completion.
   */
  readonly afterOpening: readonly ['retry', 'cancel'];
}

export interface ViewOptions {
  /** Name of the server in the configuration. */
  readonly server: string;
  readonly sanitizeText: SafeText;
}

/** Length above which a URL gets a warning, in characters. It is still shown completely. */
const LONG_URL = 300;
/** Maximum length of a URL, in characters. Longer ones are rejected, because a user cannot check them. */
const MAX_URL = 8_192;

/**
 * Creates the view of a URL elicitation, with warnings about the domain.
 *
 * @throws TenonError `rpc/error` with code -32602 for an invalid URL, or a URL that must not be opened. The server receives this error.
 */
export function createUrlView(params: ElicitUrlParams, options: ViewOptions): UrlView {
  requireKnownOptions('createUrlView', options, { server: true, sanitizeText: true });
  const { server, sanitizeText } = options;
  const parsed = requireWebUrl(params.url);
  const { href, hostname, host } = parsed;
  const start = href.indexOf(host, parsed.protocol.length + 2 + getUserinfo(parsed).length);
  const domain = describeDomain(hostname);
  const message = sanitizeForView(params.message, sanitizeText, MAX_MESSAGE);
  return {
    kind: 'url',
    server: sanitizeForView(server, sanitizeText, MAX_LABEL),
    message,
    url: href,
    parts: { before: href.slice(0, start), host, after: href.slice(start + host.length) },
    unicodeHost: domain.unicode === domain.ascii ? undefined : domain.unicode,
    site: domain.site,
    warnings: [...findUrlWarnings(parsed, params.url), ...domain.warnings, ...createLinkWarnings(params.message)],
    choices: ['open', 'decline', 'cancel'],
    afterOpening: ['retry', 'cancel'],
  };
}

/**
 * Creates the result of a URL elicitation. `undefined` means that the user closed it. The result `accept` means that
 * the user agreed to open the URL, not that the user finished there.
 */
export function createUrlResult(choice: 'open' | 'decline' | 'cancel' | undefined): ElicitResult {
  return { action: choice === 'open' ? 'accept' : choice === 'decline' ? 'decline' : 'cancel' };
}

function requireWebUrl(url: unknown): URL {
  if (typeof url !== 'string') throw rpcError(INVALID_PARAMS, 'Invalid params: the URL must be a string');
  if (url.length > MAX_URL)
    throw rpcError(INVALID_PARAMS, `Invalid params: the URL must have at most ${MAX_URL} characters`);
  const parsed = parseUrl(url);
  if (!parsed) throw rpcError(INVALID_PARAMS, 'Invalid params: the URL is invalid');
  if (parsed.protocol === 'https:' || parsed.protocol === 'http:') return parsed;
  throw rpcError(INVALID_PARAMS, 'Invalid params: the URL must begin with https: or http:');
}

function getUserinfo({ username, password }: URL): string {
  return username === '' && password === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
}

function findUrlWarnings(parsed: URL, given: string): ViewWarning[] {
  const warnings: ViewWarning[] = [];
  const warn = (code: ViewWarning['code'], text: string) => warnings.push({ code, text });
  if (parsed.protocol !== 'https:') warn('not-https', 'The connection is not encrypted: others can read what is sent.');
  if (getUserinfo(parsed) !== '')
    warn('userinfo', `What stands before the “@” is a user name, not the site: the link leads to ${parsed.hostname}.`);
  if (parsed.port !== '') warn('port', `The link leads to port ${parsed.port}, which is not the usual one.`);
  if (parsed.href.length > LONG_URL)
    warn('long', `The link has ${parsed.href.length} characters: look at all of them.`);
  if (/[ \\]/.test(given) || hasInvisible(given))
    warn(
      'rewritten',
      'The server has written the link in a way that hides where it leads. It is shown as browsers read it.',
    );
  return warnings;
}
