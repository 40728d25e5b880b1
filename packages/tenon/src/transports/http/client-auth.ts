import type { Authorizer } from '../../auth/authorizer.js';
import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { abortSignal, type Signal } from '../../jsonrpc/recall.js';
import type { HeaderRecord } from './client-options.js';
import type { HttpReply, HttpRequest } from './requester.js';

/** How often one request is sent again for the sake of its authorization, whatever the authorizer thinks. */
const MAX_REPEATS = 8;
/** Headers that take longer are waited for as a sign-in is, in milliseconds. */
const AT_ONCE = 100;

interface Facts {
  readonly server: string;
  readonly peer: string;
  readonly clock: Clock;
  readonly onSigningIn: (signingIn: boolean) => void;
}

interface Sent {
  readonly request: Pick<HttpRequest, 'method' | 'headers'> & { readonly signal: Signal };
  readonly sent: HeaderRecord;
  readonly url: string;
  readonly repeats: number;
}

/** An authorizer at work for one road. */
export interface Signing {
  headers(request: { method: string; url: string; signal: Signal }): Promise<HeaderRecord>;
  /** Whether the request is to be sent once more. Rejects when the sign-in failed. */
  mayRepeat(reply: HttpReply, sent: Sent): Promise<boolean>;
}

export function createSigning(auth: Authorizer, { server, peer, clock, onSigningIn }: Facts): Signing {
  let waiting = 0;
  const begin = () => {
    waiting += 1;
    if (waiting === 1) onSigningIn(true);
    return () => {
      waiting -= 1;
      if (waiting === 0) onSigningIn(false);
    };
  };

  return {
    async headers({ method, url, signal }) {
      let end = () => {};
      const callOff = clock.after(AT_ONCE, () => {
        end = begin();
      });
      try {
        const request = { method, url, server, signal: abortSignal(signal) };
        return lowerCased(await orFailed(unlessAborted(auth.headers(request), signal), peer));
      } finally {
        callOff();
        end();
      }
    },
    async mayRepeat(reply, { request, sent, url, repeats }) {
      const header = (name: string) => reply.header(name);
      if (!isRefusal(reply)) {
        auth.answered?.({ url, header });
        return false;
      }
      if (repeats >= MAX_REPEATS) return false;
      const { method, signal } = request;
      const version = request.headers['mcp-protocol-version'];
      const { status } = reply;
      const given = { method, url, server, signal: abortSignal(signal) };
      const refusal = { ...given, status, sent, header, request, version };
      const end = begin();
      try {
        return await orFailed(unlessAborted(auth.refused(refusal), signal), peer);
      } catch (error) {
        reply.cancel();
        throw error;
      } finally {
        end();
      }
    },
  };
}

/** A server may also want another proof of possession by a 400. https://www.rfc-editor.org/rfc/rfc9449#section-9 */
function isRefusal(reply: HttpReply): boolean {
  const { status } = reply;
  if (status === 401 || status === 403) return true;
  return status === 400 && (reply.header('www-authenticate')?.includes('use_dpop_nonce') ?? false);
}

function lowerCased(headers: HeaderRecord): HeaderRecord {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function orFailed<T>(work: Promise<T>, peer: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw TenonError.is(error) ? error : new TenonError('auth/failed', 'signing in failed', { peer, cause: error });
  }
}

function unlessAborted<T>(work: Promise<T>, signal: Signal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
