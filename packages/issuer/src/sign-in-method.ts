import type { AuthHttpRequest, AuthHttpResponse } from '@tenon/base/oauth';
import type { AuthorizationRequest } from './authorize/authorization-request.js';
import type { ConsentPageOptions } from './authorize/consent-page.js';

/** Method by which users sign in: at the issuer itself, or at an identity provider. */
export interface SignInMethod {
  /** True if the consent page has fields for a name and a password. */
  readonly password: boolean;
  readonly upstream?: NonNullable<ConsentPageOptions['upstream']>;
  /** Continues after the user has consented. Resolves with the response, or with the reason to show the page again. */
  completeConsent(
    request: AuthHttpRequest,
    authRequest: AuthorizationRequest,
  ): Promise<AuthHttpResponse | { readonly retryMessage: string }>;
  /**
   * Returns the expiry of the identity provider's tokens on which a grant depends. Resolves with `undefined` when they
   * have expired.
   */
  getUpstreamAccess?(sid: string): Promise<{ readonly until?: number } | undefined>;
  /** Removes the identity provider's tokens of a revoked grant. */
  removeUpstreamAccess?(sid: string): Promise<void>;
}
