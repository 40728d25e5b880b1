import { type AbortSignalLike, type Clock, isOwnError, rejectOnAbort, TenonError, toAbortSignal } from '@tenon/base';
import type { Authorizer } from '../../../auth/client/authorizer.js';
import type { HeaderRecord } from './options.js';
import type { HttpReply, HttpRequest } from './requester.js';

/** Maximum number of times that one request is repeated for its authorization. */
const MAX_RETRIES = 8;
/** Time after which waiting for headers counts as waiting for a sign-in, in milliseconds. */
const SIGN_IN_DELAY = 100;

interface RequestAuthOptions {
  readonly server: string;
  readonly peer: string;
  readonly clock: Clock;
  readonly onSigningIn: (signingIn: boolean) => void;
}

interface SentRequest {
  readonly request: Pick<HttpRequest, 'method' | 'headers'> & { readonly signal: AbortSignalLike };
  readonly sent: HeaderRecord;
  readonly url: string;
  readonly retries: number;
}

/** The authorization of one transport. */
export interface RequestAuth {
  getHeaders(request: { method: string; url: string; signal: AbortSignalLike }): Promise<HeaderRecord>;
  /** Resolves with true if the request should be sent again. Rejects when the sign-in failed. */
  shouldRetry(reply: HttpReply, sent: SentRequest): Promise<boolean>;
}

export function createRequestAuth(
  auth: Authorizer,
  { server, peer, clock, onSigningIn }: RequestAuthOptions,
): RequestAuth {
  let waitingCount = 0;
  const begin = () => {
    waitingCount += 1;
    if (waitingCount === 1) onSigningIn(true);
    return () => {
      waitingCount -= 1;
      if (waitingCount === 0) onSigningIn(false);
    };
  };

  return {
    async getHeaders({ method, url, signal }) {
      let end = () => {};
      const cancelTimer = clock.after(SIGN_IN_DELAY, () => {
        end = begin();
      });
      try {
        const request = { method, url, server, signal: toAbortSignal(signal) };
        return toLowerCaseNames(
          await rejectOnAbort(
            wrapAuthError(() => auth.getHeaders(request), peer),
            signal,
          ),
        );
      } finally {
        cancelTimer();
        end();
      }
    },
    async shouldRetry(reply, { request, sent, url, retries }) {
      const header = (name: string) => reply.header(name);
      const { status } = reply;
      // A server may also use 400 to request another DPoP proof: https://www.rfc-editor.org/rfc/rfc9449#section-9
      const isRefusal =
        status === 401 || status === 403 || (status === 400 && header('www-authenticate')?.includes('use_dpop_nonce'));
      if (!isRefusal) {
        auth.onResponse?.({ url, header });
        return false;
      }
      if (retries >= MAX_RETRIES) return false;
      const { method, signal, headers } = request;
      const refusal = {
        method,
        url,
        server,
        signal: toAbortSignal(signal),
        status,
        sentHeaders: sent,
        header,
        request,
        protocolVersion: headers['mcp-protocol-version'],
      };
      const end = begin();
      try {
        return await rejectOnAbort(
          wrapAuthError(() => auth.handleRefusal(refusal), peer),
          signal,
        );
      } finally {
        end();
      }
    },
  };
}

/** Converts header names to lower case, because `fetch` would join two spellings of one name. */
export function toLowerCaseNames(headers: HeaderRecord): HeaderRecord {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Converts the error of an authorizer, which occurs before the server executes the request. It may be that of a request
 * of its own, or of the store of its tokens.
 */
export async function wrapAuthError<T>(work: () => T | Promise<T>, peer: string, subject = 'the sign-in'): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const error = TenonError.is(cause) ? cause : undefined;
    if (error && isOwnError(error)) throw error;
    throw new TenonError('auth/failed', `${subject} failed`, { peer, received: error?.summary, cause });
  }
}
