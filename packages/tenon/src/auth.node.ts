/** `tenon/auth` on Node: requests to authorization servers check the address that they connect to. */
import type { Authorizer } from './auth/authorizer.js';
import { createCallerSignIn as createCallerSignInAnywhere } from './auth/caller-sign-in/caller-sign-in.js';
import type { CallerSignIn, CallerSignInOptions } from './auth/caller-sign-in/options.js';
import {
  type ClientCredentialsOptions,
  clientCredentials as clientCredentialsAnywhere,
} from './auth/grants/client-credentials.js';
import { type EnterpriseOptions, enterprise as enterpriseAnywhere } from './auth/grants/enterprise.js';
import { type WorkloadOptions, workload as workloadAnywhere } from './auth/grants/workload.js';
import type { ProtectOptions } from './auth/resource/options.js';
import { protect as protectAnywhere } from './auth/resource/protect.js';
import type { Protection } from './auth/resource/protection.js';
import { type SignInOptions, signIn as signInAnywhere } from './auth/sign-in.js';
import { checkAddresses } from './runtimes/node/checked-fetch.js';

export type { Authorizer, OutgoingRequest, RefusedRequest } from './auth/authorizer.js';
export { type BearerOptions, bearer } from './auth/bearer.js';
export type { CallerSignIn, CallerSignInChange, CallerSignInOptions } from './auth/caller-sign-in/options.js';
export type { ClientCredentials, PrivateJwk } from './auth/client-auth.js';
export { type ClientDocumentOptions, clientDocument } from './auth/client-document.js';
export { type Change, memoryVault, type Secret, type Vault, type VaultKey, vaultOf } from './auth/credentials.js';
export type { ClientCredentialsOptions } from './auth/grants/client-credentials.js';
export type { EnterpriseOptions, Subject } from './auth/grants/enterprise.js';
export type { WorkloadOptions } from './auth/grants/workload.js';
export type { AuthFetch, FetchedReply } from './auth/guarded-fetch.js';
export { type PasteOptions, pasteRedirect, type Redirect, type RedirectAttempt } from './auth/redirect.js';
export type { IntrospectionOptions } from './auth/resource/introspection.js';
export type { NonceOptions } from './auth/resource/nonces.js';
export type { DpopOptions, ProtectOptions, TrustedIssuer } from './auth/resource/options.js';
export type { Judgement, Protection, RequestFacts } from './auth/resource/protection.js';
export type { AuthorizerOptions } from './auth/setting.js';
export type { KnownClient, SignInOptions } from './auth/sign-in.js';
export type { SignInLimits } from './auth/sign-in-limit.js';
export type { GuardOptions } from './auth/url-guard.js';
export { insufficientScope } from './model/scopes.js';

/**
 * Signs a user in when the server asks for it: finds the authorization server, makes itself known there, sends the user
 * to its page, and keeps the tokens good from then on. Where it fails the call rejects with an `auth/…` error.
 * `fetch` is `checkedFetch` by default.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function signIn(options: SignInOptions = {}): Authorizer {
  return signInAnywhere(checkAddresses(options));
}

/**
 * Signs a machine in by its own credentials: `secret`, or better `key`, which stays here. Rejects with `auth/refused`
 * when they are not taken. `fetch` is `checkedFetch` by default.
 * https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 */
export function clientCredentials(options: ClientCredentialsOptions): Authorizer {
  return clientCredentialsAnywhere(checkAddresses(options));
}

/**
 * Signs a user in through the enterprise: its identity provider decides who may use which server, and nobody sees a
 * page. Rejects with `auth/not-granted` when it says no. `fetch` is `checkedFetch` by default.
 * https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function enterprise(options: EnterpriseOptions): Authorizer {
  return enterpriseAnywhere(checkAddresses(options));
}

/**
 * Signs a workload in by the identity that its platform gives it. An assertion that was refused is not shown again:
 * rejects with `auth/assertion`. `fetch` is `checkedFetch` by default.
 * https://modelcontextprotocol.io/extensions/auth/workload-identity-federation
 */
export function workload(options: WorkloadOptions): Authorizer {
  return workloadAnywhere(checkAddresses(options));
}

/**
 * Protects a server by access tokens: `serveHttp(server, { auth: protect({ resource, issuers }) })`. Throws `auth/options`
 * when that would protect nothing. `fetch` is `checkedFetch` by default.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function protect(options: ProtectOptions): Protection {
  return protectAnywhere(checkAddresses(options));
}

/**
 * Signs each caller of a gateway in to the servers behind it, by pages that the gateway serves. Give it to `createHost` as
 * `callerSignIn`, and serve its pages: `toNode(callerSignIn)`. Throws `auth/options` for a `url` that is neither `https:` nor
 * loopback. `fetch` is `checkedFetch` by default.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode-elicitation-requests
 */
export function createCallerSignIn(options: CallerSignInOptions): CallerSignIn {
  return createCallerSignInAnywhere(checkAddresses(options));
}
