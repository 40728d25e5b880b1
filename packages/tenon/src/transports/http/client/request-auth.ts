import { type AbortSignalLike, type Clock, isAuthError, rejectOnAbort, TenonError, toAbortSignal } from '@tenon/base';
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
        return toLowerCaseNames(await wrapAuthError(rejectOnAbort(auth.getHeaders(request), signal), peer));
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
        status === 401 ||
        status === 403 ||
        (status === 400 && (reply.header('www-authenticate')?.includes('use_dpop_nonce') ?? false));
      if (!isRefusal) {
        auth.onResponse?.({ url, header });
        return false;
      }
      if (retries >= MAX_RETRIES) return false;
      const { method, signal } = request;
      const version = request.headers['mcp-protocol-version'];
      const requestInfo = { method, url, server, signal: toAbortSignal(signal) };
      const refusal = { ...requestInfo, status, sentHeaders: sent, header, request, protocolVersion: version };
      const end = begin();
      try {
        return await wrapAuthError(rejectOnAbort(auth.handleRefusal(refusal), signal), peer);
      } catch (error) {
        reply.cancel();
        throw error;
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
 * Wraps an error that looks like an answer of the MCP server. An authorizer of the user may throw the error of a request
 * of its own, from whose status the client would infer the transport and the protocol version.
 */
async function wrapAuthError<T>(work: Promise<T>, peer: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isAnswer = TenonError.is(error) && (error.status !== undefined || error.rpcCode !== undefined);
    if (TenonError.is(error) && (isAuthError(error) || !isAnswer)) throw error;
    throw new TenonError('auth/failed', 'the sign-in failed', { peer, cause: error });
  }
}
