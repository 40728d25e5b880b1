import type { AuthInfo } from '../../jsonrpc/channel.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { corsHeaders, preflight, withHeaders } from './cors.js';
import { type Document, fullPath, serveDocument, serveRemoteDocument } from './documents.js';
import type { Exchange, ExchangeFacts } from './exchange.js';
import { createGuard } from './guard.js';
import type { HandlerOptions, Verdict } from './options.js';
import { invalidRequest, refuse } from './refusal.js';
import type { Road } from './road.js';

/** Who may come in: what all may read first, then the guard, what browsers ask, and authorization. */
export function createAdmission(
  options: HandlerOptions,
  road: Road,
  route: (exchange: Exchange, auth: AuthInfo | undefined) => void,
): (exchange: Exchange) => void {
  const guard = createGuard(options);
  const { cors, auth } = options;
  const authorize = authorizing(options);
  const documents: ReadonlyMap<string, Document> = auth?.documents ?? new Map();
  const decide = (exchange: Exchange, verdict: Verdict): void => {
    if ('status' in verdict) exchange.reply(verdict.status, verdict.body, verdict.headers);
    else route(verdict.headers === undefined ? exchange : withHeaders(exchange, verdict.headers), verdict.auth);
  };
  return received => {
    const path = fullPath(received.path, received.mount);
    const document = documents.get(path);
    if (document !== undefined) return serveDocument(received, document);
    const load = auth?.remoteDocuments?.get(path);
    if (load !== undefined)
      return void serveRemoteDocument(received, load).catch(error => failed(road, received, error));
    const origin = received.header('origin');
    const host = received.header('host');
    // Which of them a proxy has looked at is not known. https://www.rfc-editor.org/rfc/rfc9112#section-3.2
    if (host?.includes(',')) return refuse(received, 400, invalidRequest('A request has one Host header'));
    const wrong = guard(host, origin);
    if (wrong !== undefined) return refuse(received, 403, invalidRequest(wrong));
    const fields = cors && corsHeaders(cors, origin);
    const exchange = fields === undefined ? received : withHeaders(received, fields);
    if (cors !== undefined && exchange.method === 'OPTIONS') return preflight(cors, exchange);
    if (authorize === undefined) return route(exchange, exchange.auth);
    const verdict = authorize(exchange);
    if (!('then' in verdict)) return decide(exchange, verdict);
    verdict.then(settled => decide(exchange, settled)).catch(error => failed(road, exchange, error));
  };
}

type Authorize = (facts: ExchangeFacts) => Verdict | Promise<Verdict>;

/** Both have to let a request in, where there are both. */
function authorizing({ auth, authorize }: HandlerOptions): Authorize | undefined {
  if (auth === undefined) return authorize;
  if (authorize === undefined) return exchange => auth.authorize(exchange);
  return async exchange => {
    const first = await auth.authorize(exchange);
    if ('status' in first) return first;
    const second = await authorize(withAuth(exchange, first.auth));
    return 'status' in second ? second : { ...second, headers: { ...first.headers, ...second.headers } };
  };
}

function withAuth(exchange: ExchangeFacts, auth: AuthInfo): ExchangeFacts {
  const { method, path, query, mount, remote, raw } = exchange;
  return { method, path, query, mount, remote, raw, auth, header: name => exchange.header(name) };
}

/** Something broke that is nobody's business but the operator's. */
export function failed(road: Road, exchange: Exchange, error: unknown) {
  road.report(error);
  if (!exchange.gone) refuse(exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' });
}
