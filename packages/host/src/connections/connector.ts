import type { AuthFetch, CallerIdentity, TenonError } from '@tenon/base';
import type { Client, ClientOptions } from 'tenon';
import type { AuthExceptionsByServer, Authorizer, AuthorizerRequest, CallerSignIn } from 'tenon/auth';
import {
  connectTo,
  createInProcessEndpoint,
  createTransportEndpoint,
  type ServerEndpoint,
  type TransportFactory,
} from 'tenon/host-internals';
import type { Telemetry } from 'tenon/telemetry';
import type { ProgramEngine } from '../code-mode/program-engine.js';
import type { CallerValues } from '../config/caller-template.js';
import { fillTarget } from '../config/fill-caller-values.js';
import type { CommandTarget, OpenApiSettings, ServerEntry, ServiceAccount, UrlTarget } from '../config/server-entry.js';
import type { CredentialProvider, HostServer, OpenApiTarget } from '../host-options.js';
import type { HostGuard } from '../security/guard/host-guard.js';
import type { ScreenAside } from '../security/screening/large-values.js';
import { createOpenApiOpener, isOpenApi } from './openapi-server.js';
import type { UpstreamServerOptions } from './upstream-server.js';

/** Ways to reach servers and authorization servers. */
export interface HostTransports extends TransportFactory {
  /** Requests URLs of authorization servers. */
  readonly authFetch?: AuthFetch | undefined;
  /** Runs programs of code mode. */
  readonly engine?: ProgramEngine | undefined;
  /** Screens large values. Absent: the thread of the host screens them. */
  readonly screenAside?: ScreenAside | undefined;
}

interface ConnectorOptions {
  readonly credentials?: CredentialProvider | undefined;
  readonly callerSignIn?: CallerSignIn | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly strict?: boolean | undefined;
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Creates the connector of a server. It opens a client for each principal, with the credentials of that principal. */
export function createConnector(
  name: string,
  server: HostServer,
  transports: HostTransports,
  guard: Pick<HostGuard, 'checkServerStart'>,
  { credentials, callerSignIn, telemetry, strict: hostStrict, onError }: ConnectorOptions,
): Pick<
  UpstreamServerOptions,
  'connect' | 'trusted' | 'roots' | 'idleTimeout' | 'totalTimeout' | 'share' | 'perCaller'
> {
  const { idleTimeout, totalTimeout, trusted = false, roots, share, strict = hostStrict } = server;
  const { perCaller, assumeCapabilities, protocolVersion } = server;
  const openOpenApi = createOpenApiOpener();
  let serviceAuthorizer: Promise<Authorizer> | undefined;
  const getServiceAuthorizer = (): Promise<Authorizer> | undefined => {
    if (!('url' in server) || server.serviceAccount === undefined) return undefined;
    serviceAuthorizer ??= createServiceAuthorizer(server.serviceAccount, getExceptions(server), transports.authFetch);
    return serviceAuthorizer;
  };
  const connect = async (
    caller: CallerIdentity,
    options: ClientOptions,
    onSigningIn: (isSigningIn: boolean) => void,
    values: CallerValues = {},
  ): Promise<Client> => {
    const filled = fillTarget(name, server, perCaller, values);
    await guard.checkServerStart(name);
    await server.beforeStart?.();
    const settings = {
      ...options,
      strict,
      assumeCapabilities,
      ...(protocolVersion === undefined ? {} : { protocolVersion }),
    };
    if (isOpenApi(filled)) return connectTo(createInProcessEndpoint(await openOpenApi(filled, onError)), settings);
    const given = (await getServiceAuthorizer()) ?? (await credentials?.(name, caller.principal));
    const auth =
      given ?? (hasToken(filled) ? undefined : callerSignIn?.getAuthorizer(name, caller, getExceptions(server)));
    const onTokenRefresh: AuthorizerRequest['onTokenRefresh'] =
      telemetry && (outcome => telemetry.countTokenRefresh(name, outcome));
    const endpoint = createEndpoint(filled, transports, auth, onTokenRefresh);
    // A caller who signs in on a page of the gateway gets its URL at once.
    const isInteractive = given !== undefined || auth === undefined;
    return connectTo(isInteractive ? observeSignIn(endpoint, onSigningIn) : endpoint, settings);
  };
  return { connect, trusted, share, perCaller, idleTimeout, totalTimeout, roots: roots?.map(uri => ({ uri })) };
}

/** Creates the authorizer of a service account. Few servers have one, so its code is loaded on first use. */
async function createServiceAuthorizer(
  { clientId: id, clientSecret: secret, privateKey: key, issuer, scopes }: ServiceAccount,
  exceptions: AuthExceptionsByServer,
  fetch: AuthFetch | undefined,
): Promise<Authorizer> {
  const { clientCredentials } = await import('tenon/auth');
  return clientCredentials({ id, secret, key, issuer, scopes, exceptions, ...(fetch ? { fetch } : {}) });
}

/** Returns the exceptions of a server by its URL, as an authorizer takes them. */
const getExceptions = (server: HostServer): AuthExceptionsByServer =>
  'url' in server && server.authExceptions ? { [String(server.url)]: server.authExceptions } : {};

/** Tells if the configuration contains a token, which applies to all callers. */
function hasToken(server: HostServer): boolean {
  if (!('url' in server) || typeof server.headers !== 'object') return false;
  return Object.keys(server.headers).some(name => name.toLowerCase() === 'authorization');
}

function createEndpoint(
  server: Exclude<HostServer, OpenApiTarget>,
  transports: TransportFactory,
  auth: Authorizer | string | undefined,
  onTokenRefresh: AuthorizerRequest['onTokenRefresh'],
): ServerEndpoint {
  if ('service' in server) {
    const { service } = server;
    return typeof service === 'function' ? createTransportEndpoint(service) : createInProcessEndpoint(service);
  }
  if ('command' in server) return transports.createStdio(server);
  const used = auth ?? server.auth;
  return transports.createHttp({
    ...server,
    auth: typeof used === 'object' && onTokenRefresh ? observeTokenRefresh(used, onTokenRefresh) : used,
  });
}

/** Returns an endpoint that also calls `onSigningIn` when requests start and stop waiting for a sign-in. */
function observeSignIn(endpoint: ServerEndpoint, onSigningIn: (isSigningIn: boolean) => void): ServerEndpoint {
  const listen = endpoint.onSigningIn?.bind(endpoint);
  if (listen === undefined) return endpoint;
  return {
    ...endpoint,
    onSigningIn: listener =>
      listen(isSigningIn => {
        onSigningIn(isSigningIn);
        listener(isSigningIn);
      }),
  };
}

/** Returns an authorizer that reports each attempt to renew a token. */
function observeTokenRefresh(authorizer: Authorizer, onTokenRefresh: AuthorizerRequest['onTokenRefresh']): Authorizer {
  return {
    extensions: authorizer.extensions,
    getHeaders: request => authorizer.getHeaders({ ...request, onTokenRefresh }),
    handleRefusal: refusal => authorizer.handleRefusal({ ...refusal, onTokenRefresh }),
    onResponse: response => authorizer.onResponse?.(response),
    signOut: async server => authorizer.signOut?.(server),
  };
}

/** Converts a server to the form that the lock, the policy and the configuration use. */
export function toServerEntry(name: string, server: HostServer): ServerEntry {
  const { tools, trusted, origin, perCaller } = server;
  return {
    name,
    target: toServerTarget(server),
    ...(perCaller ? { perCaller } : {}),
    ...(tools ? { tools } : {}),
    ...(trusted === undefined ? {} : { trusted }),
    ...(origin ? { origin } : {}),
  };
}

function toServerTarget(server: HostServer): CommandTarget | UrlTarget {
  if ('service' in server) return { url: 'memory:' };
  if ('command' in server) {
    const { command, args, env, cwd, container } = server;
    const given = Object.entries(env ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return {
      command,
      ...(args ? { args } : {}),
      ...(env ? { env: Object.fromEntries(given) } : {}),
      ...(cwd === undefined ? {} : { cwd }),
      ...(container === undefined ? {} : { container }),
    };
  }
  const { url, headers, transport } = server;
  const { apiUrl, openapi } = isOpenApi(server) ? server : {};
  return {
    url: String(url),
    ...(typeof headers === 'object' ? { headers } : {}),
    ...(transport ? { transport } : {}),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(openapi === undefined ? {} : { openapi: toSettings(openapi) }),
  };
}

/** Returns the settings of a document that its source names. The value of a credential is no part of it. */
function toSettings({ auth, resources, serverOrigins }: NonNullable<OpenApiTarget['openapi']>): OpenApiSettings {
  return { auth: Object.fromEntries(Object.keys(auth ?? {}).map(id => [id, ''])), resources, serverOrigins };
}
