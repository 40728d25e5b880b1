import { checkBoolean, checkEither, checkObject, checkRange, requireResult } from '@tenon/base';
import {
  type AuthEndpoint,
  type AuthExchange,
  type AuthHttpRequest,
  type AuthHttpResponse,
  createJsonResponse,
  NO_STORE_HEADERS,
  type ResponseHeaders,
  readHttpRequest,
} from '@tenon/base/oauth';
import { createRefusalPage } from '@tenon/base/writers';
import { TenonError } from 'tenon';
import { createAuthorizeHandlers } from './authorize/authorize.js';
import { createClientRegistry } from './clients/client-registry.js';
import { handleRegistration } from './clients/registration.js';
import { createIssuerMetadata, getMetadataPaths } from './metadata.js';
import { createOauthErrorResponse, OauthError } from './oauth-error.js';
import { OPTIONS_CODE } from './option-error.js';
import type { AllowRequest, IssuerRequest, IssuerSettings } from './options.js';
import type { SignInMethod } from './sign-in-method.js';
import { handleRevocation, handleTokenRequest } from './token/token-endpoint.js';

const checkMilliseconds = checkRange('a number of milliseconds', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
const checkAllowResult = checkEither(checkBoolean, checkObject({ retryAfter: checkMilliseconds }));

type RouteHandler = (request: AuthHttpRequest) => Promise<AuthHttpResponse>;

/** Method, handler and CORS rule of a path. */
interface IssuerRoute {
  readonly method: 'GET' | 'POST';
  readonly handle: RouteHandler;
  readonly crossOrigin: boolean;
  /** Name of the endpoint for `allowRequest`. Absent: `allowRequest` is not called. */
  readonly rateLimitName?: IssuerRequest['endpoint'];
}

/**
 * Creates the endpoint of an issuer.
 *
 * @param extraRoutes Routes of the proxy.
 */
export function createRoutedEndpoint(
  settings: IssuerSettings,
  signInMethod: SignInMethod,
  extraRoutes: { readonly callback?: RouteHandler } = {},
): AuthEndpoint {
  const routes = createRoutes(settings, signInMethod, extraRoutes);
  return {
    serves: (path, mount = '') => routes.has(mount + path) || routes.has(path),
    handle(exchange) {
      const route = routes.get(exchange.mount + exchange.path) ?? routes.get(exchange.path);
      void handleExchange(exchange, route, settings).then(({ status, body, headers }) => {
        const cors = route?.crossOrigin ? { 'access-control-allow-origin': '*' } : {};
        exchange.reply(status, exchange.method === 'HEAD' ? undefined : body, { ...headers, ...cors });
      });
    },
  };
}

function createRoutes(
  settings: IssuerSettings,
  signInMethod: SignInMethod,
  extraRoutes: { readonly callback?: RouteHandler },
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
    createLimitedRoute('POST', true, 'revoke', request => handleRevocation(request, clients, settings, signInMethod)),
    ...(settings.registration
      ? [createLimitedRoute('POST', true, 'register', request => handleRegistration(request, settings))]
      : []),
    ...(extraRoutes.callback ? [createLimitedRoute('GET', false, 'callback', extraRoutes.callback)] : []),
  ]);
}

/** Returns the refusal of a request that `allowRequest` rejects. */
async function refuseByLimit(
  exchange: AuthExchange,
  endpoint: IssuerRequest['endpoint'],
  route: IssuerRoute,
  allowRequest: AllowRequest,
): Promise<AuthHttpResponse | undefined> {
  const header = (name: string) => exchange.header(name);
  const result = await allowRequest({ endpoint, remote: exchange.remote, header });
  requireResult('the result of `allowRequest`', result, checkAllowResult, OPTIONS_CODE);
  if (result === true) return undefined;
  const wait = result === false ? {} : { 'retry-after': String(Math.max(1, Math.ceil(result.retryAfter / 1_000))) };
  const refusal = { error: 'temporarily_unavailable', error_description: 'Too many requests' };
  return createFailure(route, 429, refusal, wait);
}

/**
 * Creates a response to a request that may succeed later: JSON for programs. A path without CORS is a page of a browser,
 * and gets a page.
 */
function createFailure(
  { crossOrigin }: IssuerRoute,
  status: number,
  refusal: Readonly<Record<string, string>>,
  headers: ResponseHeaders = {},
): AuthHttpResponse {
  if (crossOrigin) return createJsonResponse(status, refusal, { ...NO_STORE_HEADERS, ...headers });
  const page = createRefusalPage(
    'This sign-in cannot continue now',
    'Wait a minute. Then go back to the program and start again',
  );
  return { ...page, status, headers: { ...page.headers, ...headers } };
}

async function handleExchange(
  exchange: AuthExchange,
  route: IssuerRoute | undefined,
  settings: IssuerSettings,
): Promise<AuthHttpResponse> {
  if (route === undefined) return createJsonResponse(404, { error: 'not_found' });
  if (exchange.method === 'OPTIONS' && route.crossOrigin) return createPreflightResponse(route);
  const methods = route.rateLimitName === undefined ? [route.method, 'HEAD'] : [route.method];
  if (!methods.includes(exchange.method))
    return { ...createJsonResponse(405, { error: 'invalid_request' }), headers: { allow: methods.join(', ') } };
  try {
    const { rateLimitName } = route;
    const limitResponse = rateLimitName && (await refuseByLimit(exchange, rateLimitName, route, settings.allowRequest));
    if (limitResponse) return limitResponse;
    const request = await readHttpRequest(exchange);
    return 'status' in request
      ? createJsonResponse(request.status, { error: 'invalid_request' })
      : await route.handle(request);
  } catch (error) {
    if (error instanceof OauthError) return createOauthErrorResponse(error);
    settings.report(TenonError.from(error, 'internal/unexpected'));
    return createFailure(route, 500, { error: 'server_error' });
  }
}

function createPreflightResponse({ method }: IssuerRoute): AuthHttpResponse {
  const headers = {
    'access-control-allow-methods': method,
    'access-control-allow-headers': 'authorization, content-type, dpop, mcp-protocol-version',
    'access-control-max-age': '86400',
  };
  return { status: 204, headers };
}
