import { formatErrorExcerpt } from '@tenon/host';
import { APICallError, RetryError, ToolChoiceViolationError } from 'ai';
import { TenonError } from 'tenon';

const HINTS: { readonly [status: number]: string | undefined } = {
  401: 'check the API key of the model',
  403: 'check the permissions of the API key',
  404: 'check the model id and the base URL',
  429: 'send fewer requests, or raise the limit at the provider',
};
const REFUSED_HINT = 'check the status page of the provider, then try again';
const FAILED_HINT = 'check the configuration of the model, such as its API key, then try again';

/**
 * Creates an error from a value that `generateText` threw, with its status and an excerpt of its message. Drops the
 * original error, because it contains the prompt, the response and the headers.
 */
export function toModelError(error: unknown, peer: string, secrets: readonly string[] = []): TenonError {
  if (TenonError.is(error)) return error;
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  if (ToolChoiceViolationError.isInstance(cause)) return createAnswerError(peer, 'the answer violates `toolChoice`');
  const received = cause instanceof Error ? formatErrorExcerpt(cause.message, secrets) || undefined : undefined;
  if (!APICallError.isInstance(cause))
    return new TenonError('model/failed', 'the request to the model failed', { peer, received, hint: FAILED_HINT });
  const { statusCode } = cause;
  if (statusCode === undefined)
    return new TenonError('model/unreachable', 'the provider of the model is unreachable', {
      peer,
      received,
      hint: 'check the network and the base URL of the model, then try again',
    });
  const details = { peer, status: statusCode, received, hint: HINTS[statusCode] ?? REFUSED_HINT };
  return new TenonError('model/refused', `the provider answered HTTP ${statusCode}`, details);
}

/** Creates the error for an unusable response of a model. */
export function createAnswerError(peer: string, summary: string): TenonError {
  return new TenonError('model/answer', `the answer of the model is invalid: ${summary}`, {
    peer,
    hint: 'try again, or use another model',
  });
}
