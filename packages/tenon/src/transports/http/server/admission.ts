import {
  type AuthInfo,
  type Check,
  checkAuthInfo,
  checkHeaderFields,
  checkObject,
  checkRange,
  checkString,
  describeMismatch,
  INTERNAL_ERROR,
  isLoopbackHost,
  isObject,
  isPromise,
  type MaybePromise,
  parseHostHeader,
  parseIpAddress,
  requireArgument,
  requireResult,
  thenMaybe,
} from '@tenon/base';
import { isBrowserVisit, replyVisitor } from './browser-visit.js';
import type { HttpServerContext } from './context.js';
import { createCorsHeaders, ExchangeWithHeaders, replyPreflight } from './cors.js';
import { createInvalidRequest, refuse, replyInternalError } from './error-response.js';
import { type Exchange, type RequestInfo, resolveFullPath } from './exchange.js';
import type { AuthorizeResult, HandlerOptions } from './options.js';

/** Creates the checks of incoming requests: public documents, host and origin, CORS, and authorization. */
export function createAdmission(
  options: HandlerOptions,
  context: HttpServerContext,
  isOwnPath: (exchange: Exchange) => boolean,
  route: (exchange: Exchange, auth: AuthInfo | undefined) => void,
): (exchange: Exchange) => void {
  const guard = createOriginGuard(options);
  const { cors, auth } = options;
  const authorize = createAuthorize(options);
  const applyResult = (exchange: Exchange, result: AuthorizeResult): void => {
    if ('status' in result) exchange.reply(result.status, result.body, result.headers);
    else
      route(result.headers === undefined ? exchange : new ExchangeWithHeaders(exchange, result.headers), result.auth);
  };
  return incoming => {
    if (auth !== undefined) {
      const path = resolveFullPath(incoming.path, incoming.mount);
      const document = auth.documents.get(path);
      if (document !== undefined) return serveDocument(incoming, document);
      const load = auth.remoteDocuments?.get(path);
      if (load !== undefined)
        return void serveRemoteDocument(incoming, load).catch(error => replyInternalError(context, incoming, error));
    }
    const origin = incoming.header('origin');
    const host = incoming.header('host');
    // It is unknown which of the repeated headers a proxy has checked.
    // https://www.rfc-editor.org/rfc/rfc9112#section-3.2
    if (host?.includes(','))
      return refuse(incoming, 400, createInvalidRequest('The request has several Host headers. Send one'));
    const reason = guard(host, origin);
    if (reason !== undefined) return refuse(incoming, 403, createInvalidRequest(reason));
    const corsFields = cors && createCorsHeaders(cors, origin);
    const exchange = corsFields === undefined ? incoming : new ExchangeWithHeaders(incoming, corsFields);
    if (cors !== undefined && exchange.method === 'OPTIONS') return replyPreflight(cors, exchange);
    if (authorize === undefined) {
      const caller = exchange.auth;
      if (caller !== undefined) requireArgument('`auth` of the request', caller, checkAuthInfo, INVALID_CALLER);
      return route(exchange, caller);
    }
    // A browser has no token and shows no challenge. The page contains nothing that needs one.
    if (auth !== undefined && isBrowserVisit(exchange) && !exchange.header('authorization') && isOwnPath(exchange))
      return replyVisitor(context, exchange);
    const result = authorize(exchange);
    if (!isPromise(result)) return applyResult(exchange, result);
    result.then(settled => applyResult(exchange, settled)).catch(error => replyInternalError(context, exchange, error));
  };
}

/** Code of an error about the result of `authorize`, or about the caller that a framework authenticated. */
const INVALID_CALLER = 'auth/caller';

const checkRefusal = checkObject({
  status: checkRange('an HTTP status from 200 to 599', 200, 599),
  'headers?': checkHeaderFields,
  'body?': checkString,
});
const checkAcceptance = checkObject({ 'auth?': checkAuthInfo, 'headers?': checkHeaderFields });

const checkAuthorizeResult: Check = value => {
  if (isObject(value) && 'status' in value) return checkRefusal(value);
  if (isObject(value) && 'auth' in value) return checkAcceptance(value);
  return describeMismatch(
    '{ auth } or { status }',
    value,
    isObject(value) ? 'an object with neither of them' : undefined,
  );
};

type AuthorizeRequest = (request: RequestInfo) => MaybePromise<AuthorizeResult>;

/** Combines `auth` and `authorize`, and checks their results. If both are set, both must accept a request. */
function createAuthorize({ auth, authorize }: HandlerOptions): AuthorizeRequest | undefined {
  const requireAuthorizeResult = (name: string, result: AuthorizeResult): AuthorizeResult => {
    // Most results have only a caller, and each is checked, because code of the user may change an object that it returned.
    if (
      isObject(result) &&
      'auth' in result &&
      result.headers === undefined &&
      checkAuthInfo(result.auth) === undefined
    )
      return result;
    requireResult(`the result of \`${name}\``, result, checkAuthorizeResult, INVALID_CALLER);
    return result;
  };
  const authenticate: AuthorizeRequest | undefined =
    auth && (request => thenMaybe(auth.authorize(request), result => requireAuthorizeResult('auth.authorize', result)));
  if (authorize === undefined) return authenticate;
  const authorizeChecked: AuthorizeRequest = request =>
    thenMaybe(authorize(request), result => requireAuthorizeResult('authorize', result));
  if (authenticate === undefined) return authorizeChecked;
  return async exchange => {
    const first = await authenticate(exchange);
    if ('status' in first) return first;
    const { method, path, query, mount, remote, raw } = exchange;
    const header = (name: string) => exchange.header(name);
    const second = await authorizeChecked({ method, path, query, mount, remote, raw, auth: first.auth, header });
    return 'status' in second ? second : { ...second, headers: { ...first.headers, ...second.headers } };
  };
}

/** Returns the reason to refuse the `Host` and `Origin` of a request, or `undefined`. */
export type OriginGuard = (host: string | undefined, origin: string | undefined) => string | undefined;

/**
 * Creates the check that refuses requests of foreign web pages. `Host` must be a loopback name, an IP address, or an
 * allowed name, because DNS rebinding uses the name of the attacker's page. `Origin` must be the server's own, a
 * loopback origin on loopback, or an allowed one.
 */
export function createOriginGuard(
  options: Pick<HandlerOptions, 'allowedHosts' | 'allowedOrigins' | 'cors'>,
): OriginGuard {
  const hosts = toLowerCase(options.allowedHosts);
  const origins = toLowerCase(options.allowedOrigins);
  const corsOrigins = toLowerCase(options.cors?.origins);
  let lastAllowedHost: string | undefined;

  const isHostAllowed = (host: string): boolean => {
    if (host === lastAllowedHost || hosts === '*') return true;
    const name = parseHostHeader(host);
    if (name === undefined) return false;
    // DNS rebinding needs a name.
    const isAddress = parseIpAddress(name) !== undefined;
    const isAllowed = isAddress || isLoopbackHost(name) || hosts.includes(host.toLowerCase()) || hosts.includes(name);
    if (isAllowed) lastAllowedHost = host;
    return isAllowed;
  };
  const isOriginAllowed = (origin: string, host: string): boolean => {
    if (origins === '*' || corsOrigins === '*') return true;
    const lower = origin.toLowerCase();
    if (origins.includes(lower) || corsOrigins.includes(lower)) return true;
    const authority = /^https?:\/\/([^/]+)$/.exec(lower)?.[1];
    if (authority === undefined) return false;
    return authority === host.toLowerCase() || (isLoopback(authority) && isLoopback(host));
  };

  return (host, origin) => {
    if (host === undefined || host === '') return 'The Host header is missing';
    if (!isHostAllowed(host)) return `Host "${toPrintable(host)}" is not allowed. Add it to allowedHosts`;
    if (origin === undefined || isOriginAllowed(origin, host)) return undefined;
    return `Origin "${toPrintable(origin)}" is not allowed. Add it to allowedOrigins`;
  };
}

const isLoopback = (host: string): boolean => isLoopbackHost(parseHostHeader(host) ?? '');

function toLowerCase(list: readonly string[] | '*' | undefined): readonly string[] | '*' {
  return list === '*' ? '*' : (list ?? []).map(entry => entry.toLowerCase());
}

/** Escapes a value of a client, so that it cannot break a log or a page. */
function toPrintable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]|["\\<>]/g, '?');
}

/** Text of a public JSON document, which any web page may read. */
type MetadataDocument = string;

const CORS_HEADERS = { 'access-control-allow-origin': '*' };
/** Headers of public documents. The cache lifetime is short, because the server may change its issuer. */
const DOCUMENT_HEADERS = {
  ...CORS_HEADERS,
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
};
const ALLOW = 'GET, HEAD, OPTIONS';

function serveDocument(exchange: Exchange, document: MetadataDocument): void {
  switch (exchange.method) {
    case 'GET':
      return exchange.reply(200, document, DOCUMENT_HEADERS);
    case 'HEAD':
      return exchange.reply(200, undefined, DOCUMENT_HEADERS);
    case 'OPTIONS':
      return exchange.reply(204, undefined, {
        ...CORS_HEADERS,
        'access-control-allow-methods': ALLOW,
        // Clients send the header with the protocol version for these documents too.
        'access-control-allow-headers': 'accept, content-type, mcp-protocol-version',
        'access-control-max-age': '600',
      });
    default:
      return refuse(exchange, 405, createInvalidRequest('Method not allowed. Use GET'), undefined, {
        ...CORS_HEADERS,
        allow: ALLOW,
      });
  }
}

/** Recommended time until the next request for a document that could not be loaded, in seconds. */
const RETRY_AFTER = '10';

/** Serves a document that is loaded from another server. */
async function serveRemoteDocument(
  exchange: Exchange,
  load: () => Promise<MetadataDocument | undefined>,
): Promise<void> {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
  const document = isRead ? await load() : '';
  if (exchange.clientClosed) return;
  if (document !== undefined) return serveDocument(exchange, document);
  const error = { code: INTERNAL_ERROR, message: 'The authorization server cannot be reached. Try again in 10 s' };
  refuse(exchange, 503, error, undefined, { ...CORS_HEADERS, 'retry-after': RETRY_AFTER });
}
