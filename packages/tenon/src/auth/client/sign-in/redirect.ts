import { checkFunction, checkOptional, checkText, parseUrl, requireOptions, TenonError } from '@tenon/base';

/** Sends a user to the page of an authorization server and receives the response. */
export interface Redirect {
  /**
   * Prepares one sign-in, for example opens a port. The caller closes the attempt in every case.
   *
   * @param knownUris Redirect URIs that are already registered. Use one of them again if possible.
   * @param issuerPath Path segment of this authorization server alone. Append it to the path of your redirect URI, so
   *   that no two authorization servers share one. Absent if the client was registered before, by hand or by a
   *   metadata document: then use the redirect URI of that registration.
   * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.4.2
   */
  begin(knownUris: readonly string[], signal: AbortSignal, issuerPath?: string): Promise<RedirectAttempt>;
}

/** Prepared sign-in of a user. */
export interface RedirectAttempt {
  /** Redirect URI of this attempt. */
  readonly uri: string;
  /**
   * Opens `url` in the browser, and resolves with the URL to which the browser was redirected. `state` identifies the
   * sign-in.
   */
  authorize(url: URL, signal: AbortSignal): Promise<URL | string>;
  /** Releases the port or the window. */
  close(): void | Promise<void>;
}

const DEFAULT_URI = 'http://127.0.0.1:8765/callback';

/** Options of `manualRedirect`. */
export interface ManualRedirectOptions {
  /** Shows the URL to the user. Returns the address that the user pastes: the final address of the browser. */
  readonly ask: (url: string, signal: AbortSignal) => string | Promise<string>;
  /**
   * Redirect URI, if you registered one. No server needs to listen there.
   * @default `http://127.0.0.1:8765/callback`. If the client registers itself, a path segment of the authorization
   *   server follows
   */
  readonly uri?: string | undefined;
}

/**
 * Signs in without opening a browser. The user opens the URL on any machine, and pastes the final address of the
 * browser.
 */
export function manualRedirect(options: ManualRedirectOptions): Redirect {
  requireOptions<ManualRedirectOptions>(
    'manualRedirect',
    options,
    { ask: checkFunction, uri: checkOptional(checkText('an absolute URL', text => parseUrl(text) !== undefined)) },
    'options/invalid',
  );
  const { ask, uri } = options;
  return {
    begin: async (_knownUris, _signal, issuerPath) => ({
      uri: uri ?? (issuerPath === undefined ? DEFAULT_URI : `${DEFAULT_URI}/${issuerPath}`),
      authorize: async (url, signal) => ask(url.href, signal),
      close: () => {},
    }),
  };
}

/**
 * Parses an authorization response. Accepts the whole redirect URL, or only its query.
 *
 * @throws TenonError `auth/callback`
 */
export function parseAuthorizationResponse(response: URL | string, redirectUri: string): URLSearchParams {
  const text = String(response).trim();
  const createError = () =>
    new TenonError('auth/callback', 'the pasted URL is not the redirect URL of this sign-in', {
      expected: `a URL that begins with ${redirectUri}`,
      hint: 'sign in again, and copy the whole URL from the address bar',
    });
  if (/^\??[\w.~%-]+=[^\s]*$/.test(text) && !text.includes('://')) return new URLSearchParams(text.replace(/^\?/, ''));
  const url = parseUrl(text);
  const expected = new URL(redirectUri);
  if (url?.origin !== expected.origin || url.pathname !== expected.pathname) throw createError();
  return url.searchParams;
}
