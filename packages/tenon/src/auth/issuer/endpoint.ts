import { TenonError } from '../../jsonrpc/error.js';
import { createAuthorize } from './authorize.js';
import { createClients } from './clients.js';
import { type Answer, type Asked, json, readAsked, type ServedExchange, UNKEPT } from './exchange.js';
import { metadataOf, metadataPaths } from './metadata.js';
import type { AllowRequest, IssuerRequest, Settings } from './options.js';
import { Refusal, refusalAnswer } from './refusal.js';
import { register } from './registration.js';
import type { Road } from './road.js';
import { giveTokens, revoke } from './token.js';

/** An issuer below a fetch handler or `toNode`. */
export interface IssuerEndpoint {
  /** Answers one exchange. Never throws. */
  handle(exchange: ServedExchange): void;
  /** Whether a path is one of the issuer's, after what a router in front has cut off it. */
  serves(path: string, mount?: string): boolean;
}

type Handle = (asked: Asked) => Promise<Answer>;

/** What is answered at a path, by which method, and whether pages of other origins may ask. */
interface Route {
  readonly method: 'GET' | 'POST';
  readonly handle: Handle;
  readonly open: boolean;
  /** Set where the request may be refused by `allowRequest`. */
  readonly limitedAs?: IssuerRequest['endpoint'];
}

/** `more` are the routes that a road has of its own, by their names below the issuer. */
export function createEndpoint(
  settings: Settings,
  road: Road,
  more: { readonly callback?: Handle } = {},
): IssuerEndpoint {
  const routes = routesOf(settings, road, more);
  return {
    serves: (path, mount = '') => routes.has(mount + path) || routes.has(path),
    handle(exchange) {
      const route = routes.get(exchange.mount + exchange.path) ?? routes.get(exchange.path);
      void answered(exchange, route, settings).then(({ status, body, headers }) => {
        const cors = route?.open ? { 'access-control-allow-origin': '*' } : {};
        exchange.reply(status, body, { ...headers, ...cors });
      });
    },
  };
}

function routesOf(settings: Settings, road: Road, more: { readonly callback?: Handle }): Map<string, Route> {
  const clients = createClients(settings);
  const { begin, decide } = createAuthorize({ settings, clients, road });
  const at = (name: string) => `${settings.path}/${name}`;
  const shown = (make: () => Promise<object>): Route => ({
    method: 'GET',
    open: true,
    handle: async () => json(200, await make(), { 'cache-control': 'public, max-age=300' }),
  });
  const limited = (method: Route['method'], open: boolean, name: IssuerRequest['endpoint'], handle: Handle) =>
    [at(name), { method, open, handle, limitedAs: name }] as const;
  return new Map<string, Route>([
    ...metadataPaths(settings).map(path => [path, shown(() => metadataOf(settings))] as const),
    [at('jwks'), shown(async () => (await settings.keys()).published)],
    limited('GET', false, 'authorize', begin),
    limited('POST', false, 'consent', decide),
    limited('POST', true, 'token', asked => giveTokens(asked, clients, settings, road)),
    limited('POST', true, 'revoke', asked => revoke(asked, clients, settings)),
    ...(settings.registration ? [limited('POST', true, 'register', asked => register(asked, settings))] : []),
    ...(more.callback ? [limited('GET', false, 'callback', more.callback)] : []),
  ]);
}

/** Refuses a request that `allowRequest` does not allow. */
async function refuseByLimit(
  exchange: ServedExchange,
  endpoint: IssuerRequest['endpoint'],
  allowRequest: AllowRequest,
): Promise<Answer | undefined> {
  const header = (name: string) => exchange.header(name);
  const result = await allowRequest({ endpoint, remote: exchange.remote, header });
  if (result === true) return undefined;
  const wait = result === false ? {} : { 'retry-after': String(Math.max(1, Math.ceil(result.retryAfter / 1_000))) };
  return json(
    429,
    { error: 'temporarily_unavailable', error_description: 'Too many requests' },
    { ...UNKEPT, ...wait },
  );
}

async function answered(exchange: ServedExchange, route: Route | undefined, settings: Settings): Promise<Answer> {
  if (route === undefined) return json(404, { error: 'not_found' });
  if (exchange.method === 'OPTIONS' && route.open) return preflight(route);
  if (exchange.method !== route.method)
    return { ...json(405, { error: 'invalid_request' }), headers: { allow: route.method } };
  try {
    const { limitedAs } = route;
    const refused = limitedAs && (await refuseByLimit(exchange, limitedAs, settings.allowRequest));
    if (refused) return refused;
    const asked = await readAsked(exchange);
    return 'status' in asked ? json(asked.status, { error: 'invalid_request' }) : await route.handle(asked);
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error);
    settings.report(TenonError.from(error, 'internal/unexpected'));
    return json(500, { error: 'server_error' });
  }
}

function preflight({ method }: Route): Answer {
  const headers = {
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'authorization, content-type, dpop, mcp-protocol-version',
    'access-control-max-age': '86400',
  };
  return { status: 204, headers };
}
