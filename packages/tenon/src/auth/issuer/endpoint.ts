import { TenonError } from '../../jsonrpc/error.js';
import { createAuthorizeHandlers } from './authorize/authorize.js';
import { createClientRegistry } from './clients/client-registry.js';
import { handleRegistration } from './clients/registration.js';
import {
  createJsonResponse,
  type IssuerExchange,
  type IssuerHttpRequest,
  type IssuerHttpResponse,
  NO_STORE_HEADERS,
  readHttpRequest,
} from './http-exchange.js';
import { createIssuerMetadata, getMetadataPaths } from './metadata.js';
import { createOauthErrorResponse, OauthError } from './oauth-error.js';
import type { AllowRequest, IssuerRequest, IssuerSettings } from './options.js';
import type { SignInMethod } from './sign-in-method.js';
import { handleRevocation, handleTokenRequest } from './token/token-endpoint.js';

/** An issuer below a fetch handler or `toNode`. */
export interface IssuerEndpoint {
  /** Answers one exchange. Never throws. */
  handle(exchange: IssuerExchange): void;
  /** Whether a path is one of the issuer's, after what a router in front has cut off it. */
  serves(path: string, mount?: string): boolean;
}

type RouteHandler = (request: IssuerHttpRequest) => Promise<IssuerHttpResponse>;

/** What is answered at a path, by which method, and whether pages of other origins may ask. */
interface IssuerRoute {
  readonly method: 'GET' | 'POST';
  readonly handle: RouteHandler;
  readonly crossOrigin: boolean;
  /** Set where the request may be refused by `allowRequest`. */
  readonly rateLimitName?: IssuerRequest['endpoint'];
}

/** `more` are the routes that a road has of its own, by their names below the issuer. */
export function createRoutedEndpoint(
  settings: IssuerSettings,
  signInMethod: SignInMethod,
  more: { readonly callback?: RouteHandler } = {},
): IssuerEndpoint {
  const routes = createRoutes(settings, signInMethod, more);
  return {
    serves: (path, mount = '') => routes.has(mount + path) || routes.has(path),
    handle(exchange) {
      const route = routes.get(exchange.mount + exchange.path) ?? routes.get(exchange.path);
      void handleExchange(exchange, route, settings).then(({ status, body, headers }) => {
        const cors = route?.crossOrigin ? { 'access-control-allow-origin': '*' } : {};
        exchange.reply(status, body, { ...headers, ...cors });
      });
    },
  };
}

function createRoutes(
  settings: IssuerSettings,
  signInMethod: SignInMethod,
  more: { readonly callback?: RouteHandler },
): Map<string, IssuerRoute> {
  const clients = createClientRegistry(settings);
  const { handleAuthorize, handleConsent } = createAuthorizeHandlers({ settings, clients, signInMethod });
  const getPath = (name: string) => `${settings.path}/${name}`;
  const createDocumentRoute = (createDocument: () => Promise<object>): IssuerRoute => ({
    method: 'GET',
    crossOrigin: true,
    handle: async () => createJsonResponse(200, await createDocument(), { 'cache-control': 'public, max-age=300' }),
  });
  const createLimitedRoute = (
    method: IssuerRoute['method'],
    open: boolean,
    name: IssuerRequest['endpoint'],
    handle: RouteHandler,
  ) => [getPath(name), { method, crossOrigin: open, handle, rateLimitName: name }] as const;
  return new Map<string, IssuerRoute>([
    ...getMetadataPaths(settings).map(
      path => [path, createDocumentRoute(() => createIssuerMetadata(settings))] as const,
    ),
    [getPath('jwks'), createDocumentRoute(async () => (await settings.getKeys()).published)],
    createLimitedRoute('GET', false, 'authorize', handleAuthorize),
    createLimitedRoute('POST', false, 'consent', handleConsent),
    createLimitedRoute('POST', true, 'token', request => handleTokenRequest(request, clients, settings, signInMethod)),
    createLimitedRoute('POST', true, 'revoke', request => handleRevocation(request, clients, settings)),
    ...(settings.registration
      ? [createLimitedRoute('POST', true, 'register', request => handleRegistration(request, settings))]
      : []),
    ...(more.callback ? [createLimitedRoute('GET', false, 'callback', more.callback)] : []),
  ]);
}

/** Refuses a request that `allowRequest` does not allow. */
async function refuseByLimit(
  exchange: IssuerExchange,
  endpoint: IssuerRequest['endpoint'],
  allowRequest: AllowRequest,
): Promise<IssuerHttpResponse | undefined> {
  const header = (name: string) => exchange.header(name);
  const result = await allowRequest({ endpoint, remote: exchange.remote, header });
  if (result === true) return undefined;
  const wait = result === false ? {} : { 'retry-after': String(Math.max(1, Math.ceil(result.retryAfter / 1_000))) };
  return createJsonResponse(
    429,
    { error: 'temporarily_unavailable', error_description: 'Too many requests' },
    { ...NO_STORE_HEADERS, ...wait },
  );
}

async function handleExchange(
  exchange: IssuerExchange,
  route: IssuerRoute | undefined,
  settings: IssuerSettings,
): Promise<IssuerHttpResponse> {
  if (route === undefined) return createJsonResponse(404, { error: 'not_found' });
  if (exchange.method === 'OPTIONS' && route.crossOrigin) return createPreflightResponse(route);
  if (exchange.method !== route.method)
    return { ...createJsonResponse(405, { error: 'invalid_request' }), headers: { allow: route.method } };
  try {
    const { rateLimitName } = route;
    const limitResponse = rateLimitName && (await refuseByLimit(exchange, rateLimitName, settings.allowRequest));
    if (limitResponse) return limitResponse;
    const request = await readHttpRequest(exchange);
    return 'status' in request
      ? createJsonResponse(request.status, { error: 'invalid_request' })
      : await route.handle(request);
  } catch (error) {
    if (error instanceof OauthError) return createOauthErrorResponse(error);
    settings.report(TenonError.from(error, 'internal/unexpected'));
    return createJsonResponse(500, { error: 'server_error' });
  }
}

function createPreflightResponse({ method }: IssuerRoute): IssuerHttpResponse {
  const headers = {
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'authorization, content-type, dpop, mcp-protocol-version',
    'access-control-max-age': '86400',
  };
  return { status: 204, headers };
}
