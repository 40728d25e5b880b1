import {
  checkArray,
  checkObject,
  checkString,
  type JsonObject,
  requireArgument,
  rpcError,
  TenonError,
} from '@tenon/base';
import type { ElicitUrlParams } from '../../protocol/input-requests.js';
import {
  createMissingCapabilityError,
  createUnsupportedError,
  findMissingForRequest,
} from '../../protocol/missing-capabilities.js';
import type { RetryInputs } from '../../protocol/params-and-results.js';
import type { RequestContext } from '../request-context.js';

const ERROR_CODE = 'elicitation/required';
const GENERATED_KEY = /^visit-\d+$/;

/** A URL that the user must visit before a request can continue. */
export interface UrlElicitation {
  /** Text that explains to the user why to open the URL. */
  readonly message: string;
  /** URL that the user must open, usually `https:`. */
  readonly url: string;
  /**
   * ID for `server.completeElicitation`.
   * @default a random ID
   */
  readonly elicitationId?: string | undefined;
}

declare const crypto: { randomUUID(): string };

/**
 * Creates the error that a handler throws when the user must visit URLs first, for example to sign in. The client
 * repeats the request when the user is done, so the handler must check again.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export function urlElicitationRequired(...urls: readonly UrlElicitation[]): TenonError {
  requireArgument(
    'the list of URLs of urlElicitationRequired',
    urls,
    checkArray(checkObject({ url: checkString, message: checkString })),
  );
  const elicitations = urls.map(({ elicitationId = crypto.randomUUID(), ...rest }) => ({
    mode: 'url',
    elicitationId,
    ...rest,
  }));
  return new TenonError(ERROR_CODE, 'The user must visit a URL first', { data: elicitations });
}

export function isUrlElicitationRequired(
  error: unknown,
): error is TenonError & { readonly data: (ElicitUrlParams & { elicitationId: string })[] } {
  return TenonError.is(error) && error.code === ERROR_CODE;
}

/**
 * Converts the error to the form of the dialect: an input request on versions with retries, else an error with a code.
 * A client that has declined the URL does not get it again.
 */
export function requestUrlElicitation(
  error: unknown,
  requestContext: RequestContext,
  { inputResponses = {} }: RetryInputs,
): JsonObject {
  if (!isUrlElicitationRequired(error)) throw error;
  if (
    Object.entries(inputResponses).some(
      ([key, answer]) => GENERATED_KEY.test(key) && (answer as { action?: unknown }).action !== 'accept',
    )
  )
    throw new TenonError('client/declined', 'The user declined to visit the required URL');
  const { dialect, caller } = requestContext;
  const missing = findMissingForRequest('elicitation/create', { mode: 'url' }, caller.capabilities);
  if (dialect.inputRequests === 'by-retry') {
    if (missing) throw createMissingCapabilityError(dialect, missing);
    const inputRequests = error.data.map(({ mode, message, url }, index) => [
      `visit-${index}`,
      { method: 'elicitation/create', params: { mode, message, url } },
    ]);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(inputRequests) };
  }
  const code = dialect.errors.urlElicitationRequired;
  if (missing && code !== undefined && dialect.sessionMethods) throw createUnsupportedError(dialect, missing);
  if (missing || code === undefined)
    throw new TenonError('client/missing-capability', 'The client does not support URL elicitation', { data: missing });
  for (const { elicitationId } of error.data) requestContext.trackElicitation?.(elicitationId);
  throw rpcError(code, error.message, { elicitations: error.data });
}
