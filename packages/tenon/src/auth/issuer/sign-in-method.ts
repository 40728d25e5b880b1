import type { AuthorizationRequest } from './authorize/authorization-request.js';
import type { ConsentPageOptions } from './authorize/consent-page.js';
import type { IssuerHttpRequest, IssuerHttpResponse } from './http-exchange.js';

/** How users are known: here, or by going on to somebody else. */
export interface SignInMethod {
  /** Whether the page asks for a name and a password. */
  readonly password: boolean;
  readonly upstream?: NonNullable<ConsentPageOptions['upstream']>;
  /** The user has agreed. Gives what the browser is answered, or what was wrong with what it sent. */
  completeConsent(
    request: IssuerHttpRequest,
    wish: AuthorizationRequest,
  ): Promise<IssuerHttpResponse | { readonly retryMessage: string }>;
  /** What stands behind a grant elsewhere, and until when; `undefined` when it has ended there. */
  getUpstreamAccess?(sid: string): Promise<{ readonly until?: number } | undefined>;
}
