import { TenonError } from '../../../jsonrpc/error.js';

/** A sign-in at a server that waits for the user of a caller. */
export interface SignInRequest {
  /** Name of the server. */
  readonly server: string;
  /** The page that begins the sign-in. */
  readonly url: string;
  /** Names the sign-in in `notifications/elicitation/complete`. */
  readonly elicitationId: string;
  /** Resolves when the sign-in ends, also when it fails. */
  readonly ended: Promise<void>;
}

const CODE = 'auth/sign-in-required';
const pendingRequests = new WeakMap<Error, SignInRequest>();

/** Makes the error of a request that needs the user of a caller to sign in first. */
export function createSignInRequiredError(request: SignInRequest): TenonError {
  const error = new TenonError(CODE, 'the server requires the user to sign in', {
    hint: `open ${request.url} in a browser, sign in, and try again`,
  });
  pendingRequests.set(error, request);
  return error;
}

/** Creates the error of a request from an anonymous caller, for whom no sign-in is possible. */
export function createCallerRequiredError(): TenonError {
  return new TenonError(CODE, 'the server requires a sign-in by each caller', {
    hint: 'send an access token with the request',
  });
}

/**
 * Tells if an error is resolved as soon as the caller has signed in, so that the request can be repeated at any time.
 */
export function isSignInRequired(error: TenonError): boolean {
  return error.code === CODE || getSignInRequest(error) !== undefined;
}

/** Reads the sign-in that an error waits for, also from the errors that caused it. */
export function getSignInRequest(error: unknown): SignInRequest | undefined {
  if (!(error instanceof Error)) return undefined;
  return pendingRequests.get(error) ?? getSignInRequest(error.cause);
}
