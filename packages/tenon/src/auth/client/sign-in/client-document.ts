import { checkArray, checkString, requireArgument, requireKnownOptions, TenonError } from '@tenon/base';

/** Contents of a client ID metadata document. */
export interface ClientDocumentOptions {
  /** URL of the document. It is also the client ID. */
  readonly url: string;
  /** Client name, which sign-in pages show. */
  readonly name: string;
  /** Redirect URIs of the client. */
  readonly redirects: readonly string[];
  /**
   * Home page of the client.
   * @default none
   */
  readonly uri?: string | undefined;
  /**
   * Public keys of the client, if it authenticates with a private key.
   * @default none
   */
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
}

/**
 * Creates a client ID metadata document. Serve it as `application/json` at its own URL, and pass that URL to `signIn`
 * as `clientMetadataUrl`.
 *
 * @throws TenonError `auth/client-document` when the URL cannot identify a client.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export function createClientDocument(options: ClientDocumentOptions): Readonly<Record<string, unknown>> {
  requireKnownOptions('createClientDocument', options, {
    url: true,
    name: true,
    redirects: true,
    uri: true,
    jwks: true,
  });
  const { url, name, redirects, uri, jwks } = options;
  requireArgument('`url` of createClientDocument', url, checkString);
  requireArgument('`name` of createClientDocument', name, checkString);
  requireArgument('`redirects` of createClientDocument', redirects, checkArray(checkString));
  checkDocumentUrl(url);
  return {
    client_id: url,
    client_name: name,
    redirect_uris: redirects,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: jwks === undefined ? 'none' : 'private_key_jwt',
    ...(uri === undefined ? {} : { client_uri: uri }),
    ...(jwks === undefined ? {} : { jwks }),
  };
}

/** Checks that a URL can identify a client: it uses `https:`, has a path, and is in normalized form. */
export function checkDocumentUrl(url: string): void {
  const match = /^https:\/\/[^/?#@]+(\/[^?#]*)$/.exec(url);
  if (match && match[1] !== '/' && !/\/\.\.?(\/|$)/.test(url)) return;
  throw new TenonError('auth/client-document', 'invalid URL of a client metadata document', {
    expected: 'an https: URL with a path',
    received: url.slice(0, 200),
  });
}
