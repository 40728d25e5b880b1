import type { AuthInfo } from '../../jsonrpc/channel.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { corsHeaders, preflight, withHeaders } from './cors.js';
import type { Exchange } from './exchange.js';
import { createGuard } from './guard.js';
import type { HandlerOptions, Verdict } from './options.js';
import { invalidRequest, refuse } from './refusal.js';
import type { Road } from './road.js';

/** Who may come in: the guard first, then what browsers ask, then authorization. */
export function createAdmission(
  options: HandlerOptions,
  road: Road,
  route: (exchange: Exchange, auth: AuthInfo | undefined) => void,
): (exchange: Exchange) => void {
  const guard = createGuard(options);
  const { authorize, cors } = options;
  const decide = (exchange: Exchange, verdict: Verdict): void => {
    if ('status' in verdict) exchange.reply(verdict.status, verdict.body, verdict.headers);
    else route(exchange, verdict.auth);
  };
  return received => {
    const origin = received.header('origin');
    const wrong = guard(received.header('host'), origin);
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

/** Something broke that is nobody's business but the operator's. */
export function failed(road: Road, exchange: Exchange, error: unknown) {
  road.report(error);
  if (!exchange.gone) refuse(exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' });
}
