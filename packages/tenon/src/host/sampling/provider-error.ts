import { TenonError } from '../../jsonrpc/error.js';
import { isObject } from '../../jsonrpc/message.js';
import type { FetchResponse } from '../../transports/http/client/fetch-like.js';
import { formatErrorExcerpt } from './excerpt.js';

interface ProviderErrorContext {
  readonly peer: string;
  /** What is to be shown nowhere. */
  readonly secrets: readonly string[];
  /** How long the provider wants to be left alone, in milliseconds. */
  readonly wait: number | undefined;
}

/** What a provider said instead of an answer. */
export function createProviderError(
  { status, type }: FetchResponse,
  text: string,
  { peer, secrets, wait }: ProviderErrorContext,
): TenonError {
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const hint = isRedirect ? 'give the address that it redirects to as `url`' : NEXT[status];
  return new TenonError('model/refused', isRedirect ? 'the model redirects' : `the model answers ${status}`, {
    peer,
    status,
    received: formatErrorExcerpt(messageIn(text), secrets) || undefined,
    hint,
    ...(wait === undefined ? {} : { data: { retryAfterMs: wait } }),
  });
}

const NEXT: { readonly [status: number]: string | undefined } = {
  401: 'look whether the key is right',
  403: 'look what the key may do',
  404: 'look whether the model and the `url` are right',
  429: 'ask less often, or raise the limit at the provider',
};

/** The words of an error as the providers have it: `{ error: { message } }`. */
function messageIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const error = isObject(value) ? value.error : undefined;
    if (isObject(error) && typeof error.message === 'string') return error.message;
    if (typeof error === 'string') return error;
  } catch {}
  return text;
}
