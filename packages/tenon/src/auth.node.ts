/**
 * Protect a server, or sign in a client. On Node, requests to authorization servers check the address that they connect
 * to.
 *
 * @module tenon/auth
 */
import {
  createGuardedFetch as createGuardedFetchAnywhere,
  type GuardedFetch,
  type GuardedFetchOptions,
} from '@tenon/base';
import type { Authorizer } from './auth/client/authorizer.js';
import { createCallerSignIn as createCallerSignInAnywhere } from './auth/client/caller-sign-in/caller-sign-in.js';
import type { CallerSignIn, CallerSignInOptions } from './auth/client/caller-sign-in/options.js';
import {
  type AuthorizationDiscovery,
  type DiscoverAuthorizationOptions,
  discoverAuthorization as discoverAuthorizationAnywhere,
} from './auth/client/discovery/discover-authorization.js';
import {
  type ClientCredentialsOptions,
  clientCredentials as clientCredentialsAnywhere,
} from './auth/client/grants/client-credentials.js';
import {
  type EnterpriseManagedOptions,
  enterpriseManaged as enterpriseManagedAnywhere,
} from './auth/client/grants/enterprise-managed.js';
import {
  type WorkloadIdentityOptions,
  workloadIdentity as workloadIdentityAnywhere,
} from './auth/client/grants/workload-identity.js';
import { type SignInOptions, signIn as signInAnywhere } from './auth/client/sign-in/sign-in.js';
import {
  type ListSignInsOptions,
  listSignIns as listSignInsAnywhere,
  type StoredSignIn,
} from './auth/client/stored-sign-ins.js';
import type { ProtectOptions } from './auth/resource/options.js';
import { protect as protectAnywhere } from './auth/resource/protect.js';
import type { TokenVerifier } from './auth/resource/request-authorizer.js';
import { withAddressCheck } from './runtimes/node/auth/address-checked-fetch.js';

export type { AuthFetch, AuthFetchResponse, GuardedFetchOptions, GuardOptions } from '@tenon/base';
export type { AuthExceptions, AuthExceptionsByServer } from './auth/client/auth-exceptions.js';
export type { Authorizer, AuthorizerRequest, RefusedRequest } from './auth/client/authorizer.js';
export { type BearerOptions, bearer } from './auth/client/bearer.js';
export type { CallerSignIn, CallerSignInChange, CallerSignInOptions } from './auth/client/caller-sign-in/options.js';
export type { ClientCredentials, PrivateJwk } from './auth/client/client-identity.js';
export type {
  AuthorizationDiscovery,
  DiscoverAuthorizationOptions,
} from './auth/client/discovery/discover-authorization.js';
export type { ProtectedResourceInfo } from './auth/client/discovery/protected-resource.js';
export type { ClientCredentialsOptions } from './auth/client/grants/client-credentials.js';
export type { DeviceCode, ShowDeviceCode } from './auth/client/grants/device-code.js';
export type { EnterpriseManagedOptions, SubjectToken } from './auth/client/grants/enterprise-managed.js';
export type { WorkloadIdentityOptions } from './auth/client/grants/workload-identity.js';
export type { AuthorizerOptions } from './auth/client/settings.js';
export { type SharedTokenStoreOptions, sharedTokenStore } from './auth/client/shared-token-store.js';
export { type ClientDocumentOptions, createClientDocument } from './auth/client/sign-in/client-document.js';
export type { ConfirmIssuer, IssuerConfirmation } from './auth/client/sign-in/issuer-redirect.js';
export {
  type ManualRedirectOptions,
  manualRedirect,
  type Redirect,
  type RedirectAttempt,
} from './auth/client/sign-in/redirect.js';
export type { RegisteredClient, SignInOptions } from './auth/client/sign-in/sign-in.js';
export type { SignInLimits } from './auth/client/sign-in/sign-in-limit.js';
export type { ListSignInsOptions, StoredSignIn } from './auth/client/stored-sign-ins.js';
export type { SignOutOutcome } from './auth/client/token-session.js';
export {
  memoryTokenStore,
  type StoredSecret,
  scopeTokenStore,
  type TokenStore,
  type TokenStoreKey,
  type TokenStoreUpdate,
} from './auth/client/token-store.js';
export type { NonceOptions } from './auth/resource/dpop-nonces.js';
export type { IntrospectionOptions } from './auth/resource/introspection.js';
export type { DpopOptions, ProtectOptions, TrustedIssuer } from './auth/resource/options.js';
export type { AuthRequest, AuthResult, TokenVerifier } from './auth/resource/request-authorizer.js';
export { insufficientScope } from './protocol/scopes.js';

/**
 * Creates an authorizer that signs a user in when the server requires it. It discovers the authorization server,
 * registers the client, opens the sign-in page, and renews tokens.
 *
 * Calls reject with an `auth/…` error when that fails. The default `fetch` on Node is `fetchWithAddressCheck`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function signIn(options: SignInOptions = {}): Authorizer {
  return signInAnywhere(withAddressCheck('signIn', options));
}

/**
 * Creates an authorizer for a program with its own credentials: a `secret` or, preferably, a private `key`. Calls
 * reject with `auth/refused` when the credentials are not accepted. The default `fetch` on Node is
 * `fetchWithAddressCheck`.
 * @see https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  return clientCredentialsAnywhere(withAddressCheck('clientCredentials', options));
}

/**
 * Creates an authorizer that signs a user in through the identity provider of an enterprise, which controls access to
 * servers. Calls reject with `auth/not-granted` when it refuses. The default `fetch` on Node is
 * `fetchWithAddressCheck`.
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Authorizer {
  return enterpriseManagedAnywhere(withAddressCheck('enterpriseManaged', options));
}

/**
 * Creates an authorizer for a workload with the identity that its platform issues. Calls reject with `auth/assertion`
 * when the assertion is refused. The default `fetch` on Node is `fetchWithAddressCheck`.
 * @see https://modelcontextprotocol.io/extensions/auth/workload-identity-federation
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Authorizer {
  return workloadIdentityAnywhere(withAddressCheck('workloadIdentity', options));
}

/**
 * Protects a server with access tokens: `serveHttp(server, { auth: protect({ resource, issuers }) })`. The default
 * `fetch` on Node is `fetchWithAddressCheck`.
 * @throws TenonError `auth/options` when the options would protect nothing.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function protect(options: ProtectOptions): TokenVerifier {
  return protectAnywhere(withAddressCheck('protect', options));
}

/**
 * Creates the sign-in of each caller of a gateway at the servers behind it, on pages of the gateway. Pass it to
 * `createHost` as `callerSignIn`, and serve its pages with `toNode(callerSignIn)`. The default `fetch` on Node is
 * `fetchWithAddressCheck`.
 * @throws TenonError `auth/options` for a `url` that is neither `https:` nor loopback.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode-elicitation-requests
 */
export function createCallerSignIn(options: CallerSignInOptions): CallerSignIn {
  return createCallerSignInAnywhere(withAddressCheck('createCallerSignIn', options));
}

/**
 * Reads the metadata that a client needs before it signs in, with the checks of `signIn`. It registers no client and
 * requests no token. The default `fetch` on Node is `fetchWithAddressCheck`.
 *
 * @throws TenonError `auth/no-resource-metadata`, `auth/resource-mismatch`, `auth/no-issuer`,
 *   `auth/no-issuer-metadata`, `auth/issuer-mismatch`, `auth/unsafe-url`, `auth/unreachable`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function discoverAuthorization(
  server: string,
  options: DiscoverAuthorizationOptions = {},
): Promise<AuthorizationDiscovery> {
  return discoverAuthorizationAnywhere(server, withAddressCheck('discoverAuthorization', options));
}

/**
 * Lists the sign-ins whose tokens a token store contains, so that a user can sign out of servers that the program does
 * not use any more. The default `fetch` on Node is `fetchWithAddressCheck`.
 * @throws TenonError `auth/options` for a store without `listKeys`
 */
export function listSignIns(options: ListSignInsOptions): Promise<StoredSignIn[]> {
  return listSignInsAnywhere(withAddressCheck('listSignIns', options));
}

/**
 * Creates a `fetch` for URLs that another party chose. It refuses private addresses, ends after 10 s, and reads at most
 * 256 KiB of a response. The default `fetch` on Node is `fetchWithAddressCheck`.
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  return createGuardedFetchAnywhere(withAddressCheck('createGuardedFetch', options));
}
