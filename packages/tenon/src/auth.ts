/** Entry `tenon/auth`: protect servers, and sign in clients. */

export type { AuthFetch, AuthFetchResponse, GuardOptions } from '@tenon/base';
export { createGuardedFetch, type GuardedFetchOptions } from '@tenon/base';
export type { AuthExceptions, AuthExceptionsByServer } from './auth/client/auth-exceptions.js';
export type { Authorizer, AuthorizerRequest, RefusedRequest } from './auth/client/authorizer.js';
export { type BearerOptions, bearer } from './auth/client/bearer.js';
export { createCallerSignIn } from './auth/client/caller-sign-in/caller-sign-in.js';
export type { CallerSignIn, CallerSignInChange, CallerSignInOptions } from './auth/client/caller-sign-in/options.js';
export type { ClientCredentials, PrivateJwk } from './auth/client/client-identity.js';
export {
  type AuthorizationDiscovery,
  type DiscoverAuthorizationOptions,
  discoverAuthorization,
} from './auth/client/discovery/discover-authorization.js';
export type { ProtectedResourceInfo } from './auth/client/discovery/protected-resource.js';
export { type ClientCredentialsOptions, clientCredentials } from './auth/client/grants/client-credentials.js';
export type { DeviceCode, ShowDeviceCode } from './auth/client/grants/device-code.js';
export {
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type SubjectToken,
} from './auth/client/grants/enterprise-managed.js';
export { type WorkloadIdentityOptions, workloadIdentity } from './auth/client/grants/workload-identity.js';
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
export { type RegisteredClient, type SignInOptions, signIn } from './auth/client/sign-in/sign-in.js';
export type { SignInLimits } from './auth/client/sign-in/sign-in-limit.js';
export { type ListSignInsOptions, listSignIns, type StoredSignIn } from './auth/client/stored-sign-ins.js';
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
export { protect } from './auth/resource/protect.js';
export type { AuthRequest, AuthResult, TokenVerifier } from './auth/resource/request-authorizer.js';
export { insufficientScope } from './protocol/scopes.js';
