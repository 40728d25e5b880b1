import { type AuthFetchResponse, createUrlGuard } from '@tenon/base';
import { TenonError } from 'tenon';
import { fetchWithAddressCheck } from 'tenon/auth/node';

export interface DownloadOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /**
   * Handling of redirects, as in `fetch`: at most 5 are followed. `manual` returns the redirect.
   * @default `follow`
   */
  readonly redirect?: 'follow' | 'error' | 'manual';
}

/** Response of a download. */
export interface Download {
  readonly status: number;
  /** Parts of the body. Empty for another status than 200 to 299. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the request without its body. */
  cancel(): Promise<void>;
}

/** Thrown by `download` if there is no usable response. The message is for the user. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

const MAX_REDIRECTS = 5;

/**
 * Requests a URL that the user or a registry named, through the proxy of `HTTPS_PROXY` or `HTTP_PROXY`. All requests of
 * the command that are none of MCP pass here. A redirect leads neither to a private address nor from `https:` to `http:`.
 *
 * @throws DownloadError, or a TenonError for a proxy that refuses the connection
 */
export async function download(
  address: string | URL,
  { headers = {}, signal, redirect = 'follow' }: DownloadOptions,
): Promise<Download> {
  let url = new URL(address);
  const guard = createUrlGuard(url, { allowInsecure: url.protocol === 'http:' });
  try {
    for (let redirects = 0; ; redirects += 1) {
      const init = { method: 'GET', headers: { ...headers }, signal, redirect: 'manual' } as const;
      const response = await fetchWithAddressCheck(url.href, init, guard);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null || redirect === 'manual') return await createDownload(response);
      await response.body?.getReader().cancel();
      if (redirect === 'error') throw new DownloadError('a redirect');
      if (redirects >= MAX_REDIRECTS) throw new DownloadError(`more than ${MAX_REDIRECTS} redirects`);
      const next = guard.check(new URL(location, url), 'the target of a redirect');
      if (url.protocol === 'https:' && next.protocol !== 'https:')
        throw new DownloadError('a redirect from https: to http:');
      url = next;
    }
  } catch (error) {
    throw toDownloadError(error);
  }
}

type Reader = ReturnType<NonNullable<AuthFetchResponse['body']>['getReader']>;

async function createDownload({ status, body }: AuthFetchResponse): Promise<Download> {
  const reader = body?.getReader();
  const cancel = async () => reader?.cancel().catch(() => {});
  const isSuccess = status >= 200 && status < 300;
  if (!isSuccess) await cancel();
  return { status, chunks: readChunks(isSuccess ? reader : undefined), cancel };
}

async function* readChunks(reader: Reader | undefined): AsyncGenerator<Uint8Array> {
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value instanceof Uint8Array) yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Converts an error of a request. The options that errors of the library name do not exist in the command. */
function toDownloadError(error: unknown): Error {
  if (error instanceof DownloadError) return error;
  if (TenonError.is(error) && error.code !== 'auth/unsafe-url') return error;
  if (TenonError.is(error)) return new DownloadError(`${error.summary}: ${error.received ?? 'a private address'}`);
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return new DownloadError(cause instanceof Error && cause.message !== '' ? cause.message : message);
}
