import { INTERNAL_ERROR } from '../../../jsonrpc/error-codes.js';
import type { AuthInfo } from '../../../jsonrpc/transport.js';
import type { HttpServerContext } from './context.js';
import { createCorsHeaders, replyPreflight, withHeaders } from './cors.js';
import { createInvalidRequest, refuse } from './error-response.js';
import type { Exchange, RequestInfo } from './exchange.js';
import { type MetadataDocument, resolveFullPath, serveDocument, serveRemoteDocument } from './metadata-documents.js';
import type { AuthorizeResult, HandlerOptions } from './options.js';
import { createOriginGuard } from './origin-guard.js';

/** Who may come in: what all may read first, then the guard, what browsers ask, and authorization. */
export function createAdmission(
  options: HandlerOptions,
  context: HttpServerContext,
  route: (exchange: Exchange, auth: AuthInfo | undefined) => void,
): (exchange: Exchange) => void {
  const guard = createOriginGuard(options);
  const { cors, auth } = options;
  const authorize = createAuthorize(options);
  const documents: ReadonlyMap<string, MetadataDocument> = auth?.documents ?? new Map();
  const applyResult = (exchange: Exchange, result: AuthorizeResult): void => {
    if ('status' in result) exchange.reply(result.status, result.body, result.headers);
    else route(result.headers === undefined ? exchange : withHeaders(exchange, result.headers), result.auth);
  };
  return incoming => {
    const path = resolveFullPath(incoming.path, incoming.mount);
    const document = documents.get(path);
    if (document !== undefined) return serveDocument(incoming, document);
    const load = auth?.remoteDocuments?.get(path);
    if (load !== undefined)
      return void serveRemoteDocument(incoming, load).catch(error => replyInternalError(context, incoming, error));
    const origin = incoming.header('origin');
    const host = incoming.header('host');
    // Which of them a proxy has looked at is not known. https://www.rfc-editor.org/rfc/rfc9112#section-3.2
    if (host?.includes(',')) return refuse(incoming, 400, createInvalidRequest('A request has one Host header'));
    const problem = guard(host, origin);
    if (problem !== undefined) return refuse(incoming, 403, createInvalidRequest(problem));
    const corsFields = cors && createCorsHeaders(cors, origin);
    const exchange = corsFields === undefined ? incoming : withHeaders(incoming, corsFields);
    if (cors !== undefined && exchange.method === 'OPTIONS') return replyPreflight(cors, exchange);
    if (authorize === undefined) return route(exchange, exchange.auth);
    const result = authorize(exchange);
    if (!('then' in result)) return applyResult(exchange, result);
    result.then(settled => applyResult(exchange, settled)).catch(error => replyInternalError(context, exchange, error));
  };
}

type AuthorizeRequest = (request: RequestInfo) => AuthorizeResult | Promise<AuthorizeResult>;

/** Both have to let a request in, where there are both. */
function createAuthorize({ auth, authorize }: HandlerOptions): AuthorizeRequest | undefined {
  if (auth === undefined) return authorize;
  if (authorize === undefined) return exchange => auth.authorize(exchange);
  return async exchange => {
    const first = await auth.authorize(exchange);
    if ('status' in first) return first;
    const second = await authorize(withAuth(exchange, first.auth));
    return 'status' in second ? second : { ...second, headers: { ...first.headers, ...second.headers } };
  };
}

function withAuth(exchange: RequestInfo, auth: AuthInfo): RequestInfo {
  const { method, path, query, mount, remote, raw } = exchange;
  return { method, path, query, mount, remote, raw, auth, header: name => exchange.header(name) };
}

/** Something broke that is nobody's business but the operator's. */
export function replyInternalError(context: HttpServerContext, exchange: Exchange, error: unknown) {
  context.report(error);
  if (!exchange.clientClosed) refuse(exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' });
}
