import { TenonError } from '../../../jsonrpc/error.js';

/** Sends a user to the page of an authorization server and receives the response. */
export interface Redirect {
  /**
   * Makes ready for one sign-in. `known` are redirect URIs that the client is registered with already, to be used again
   * where that can be. Closed in any case.
   */
  begin(knownUris: readonly string[], signal: AbortSignal): Promise<RedirectAttempt>;
}

/** One attempt to sign a user in. */
export interface RedirectAttempt {
  /** Redirect URI. */
  readonly uri: string;
  /**
   * Opens `url` in the browser, and resolves with the URL to which the browser was redirected. `state` identifies the
   * sign-in.
   */
  authorize(url: URL, signal: AbortSignal): Promise<URL | string>;
  /** Releases the port or the window. */
  close(): void | Promise<void>;
}

/** Options of `manualRedirect`. */
export interface ManualRedirectOptions {
  /** Shows the URL to the user, and returns the address that the browser shows in the end. */
  readonly ask: (url: string, signal: AbortSignal) => string | Promise<string>;
  /** Redirect URI of the browser; nothing needs to listen there. Default `http://127.0.0.1:8765/callback`. */
  readonly uri?: string | undefined;
}

/**
 * Signs in without opening a browser: the user opens the URL on any machine and pastes the address at which the
 * browser ends.
 */
export function manualRedirect({ ask, uri = 'http://127.0.0.1:8765/callback' }: ManualRedirectOptions): Redirect {
  return {
    begin: async () => ({ uri, authorize: async (url, signal) => ask(url.href, signal), close: () => {} }),
  };
}

/** The parameters of an answer: of the URL that the browser came back to, or pasted without its beginning. */
export function parseAuthorizationResponse(response: URL | string, redirectUri: string): URLSearchParams {
  const text = String(response).trim();
  const createError = () =>
    new TenonError('auth/callback', 'the pasted URL is not the redirect URL of this sign-in', {
      expected: `a URL that begins with ${redirectUri}`,
      hint: 'sign in again, and copy the whole URL from the address bar',
    });
  if (/^\??[\w.~%-]+=[^\s]*$/.test(text) && !text.includes('://')) return new URLSearchParams(text.replace(/^\?/, ''));
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw createError();
  }
  const expected = new URL(redirectUri);
  if (url.origin !== expected.origin || url.pathname !== expected.pathname) throw createError();
  return url.searchParams;
}
