import { TenonError } from '@tenon/base';

/** Pending sign-in at a server, which the user of a caller has to complete. */
export interface SignInRequest {
  /** Name of the server. */
  readonly server: string;
  /** URL of the page that starts the sign-in. */
  readonly url: string;
  /** Identifies the sign-in in `notifications/elicitation/complete`. */
  readonly elicitationId: string;
  /** Resolves when the sign-in succeeds or fails. */
  readonly ended: Promise<void>;
}

/** Code of the errors that require the caller to sign in. */
export const SIGN_IN_REQUIRED = 'auth/sign-in-required';

const pendingRequests = new WeakMap<Error, SignInRequest>();

/** Creates the error of a request that needs the user of a caller to sign in first. */
export function createSignInRequiredError(request: SignInRequest): TenonError {
  const error = new TenonError(SIGN_IN_REQUIRED, 'the server requires the user to sign in', {
    hint: `open ${request.url} in a browser, sign in, and try again`,
  });
  pendingRequests.set(error, request);
  return error;
}

/** Tells if an error requires the caller to sign in. The caller can then repeat the request. */
export function isSignInRequired(error: TenonError): boolean {
  return error.code === SIGN_IN_REQUIRED || getSignInRequest(error) !== undefined;
}

/** Returns the pending sign-in of an error, or of an error in its chain of causes. */
export function getSignInRequest(error: unknown): SignInRequest | undefined {
  if (!(error instanceof Error)) return undefined;
  return pendingRequests.get(error) ?? getSignInRequest(error.cause);
}
