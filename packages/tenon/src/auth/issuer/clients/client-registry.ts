import type { JSONWebKeySet } from 'jose';
import { createOptionError, type IssuerSettings } from '../options.js';
import { hashSecret } from '../secrets.js';
import { type OauthClient, USER_GRANTS } from './client.js';
import { getDocumentedClient } from './client-document.js';
import { isRedirectUri } from './redirect-uri.js';

/** A client that is known beforehand. */
export interface IssuerClient {
  readonly id: string;
  /** What the consent page calls it. Default: its id. */
  readonly name?: string | undefined;
  /** Where browsers may come back to, byte for byte; the port of a loopback address may be any. */
  readonly redirects?: readonly string[] | undefined;
  /** Of a confidential client, which shows it by `client_secret_basic` or `client_secret_post`. */
  readonly secret?: string | undefined;
  /** The public keys of a confidential client that signs assertions. */
  readonly jwks?: { readonly keys: readonly { readonly [member: string]: unknown }[] } | undefined;
  /** Whether it may ask for tokens of its own, without a user. Only a confidential one may. Default false. */
  readonly machine?: boolean | undefined;
}

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const;

export interface ClientRegistry {
  /** Throws a `OauthError` for one whose document is not good; `undefined` for one that nobody knows. */
  find(id: string): Promise<OauthClient | undefined>;
}

/** Throws `auth/issuer-options` for one that is given and not fit. */
export function createClientRegistry(settings: IssuerSettings): ClientRegistry {
  for (const client of settings.clients) checkClient(client, settings);
  const documentCache = new Map<string, { client: OauthClient; expiresAt: number }>();
  return {
    async find(id) {
      const configured = settings.clients.find(each => each.id === id);
      if (configured) return toOauthClient(configured);
      if (id.startsWith('https://') || id.startsWith('http://'))
        return getDocumentedClient(id, settings, documentCache);
      return settings.registrations.find(id);
    },
  };
}

function checkClient(
  { id, redirects = [], secret, jwks, machine }: IssuerClient,
  { redirectSchemes }: IssuerSettings,
): void {
  if (!/^[ -~]{1,200}$/.test(id)) throw createOptionError('clients', 'ids of 1 to 200 printable ASCII characters', id);
  const invalidUri = redirects.find(uri => !isRedirectUri(uri, 'native', redirectSchemes));
  if (invalidUri !== undefined)
    throw createOptionError('clients', 'redirect URIs of https:, of loopback, or of an app', invalidUri);
  if (machine && secret === undefined && jwks === undefined) {
    throw createOptionError('clients', 'a secret or keys for a machine', id);
  }
  if (secret !== undefined && secret.length < 16)
    throw createOptionError('clients', 'secrets of 16 characters or more', id);
}

async function toOauthClient(client: IssuerClient): Promise<OauthClient> {
  const { id, name = id, redirects = [], secret, jwks, machine = false } = client;
  const methods = [...(secret === undefined ? [] : SECRET_METHODS), ...(jwks ? (['private_key_jwt'] as const) : [])];
  return {
    id,
    name,
    redirects,
    methods: methods.length > 0 ? methods : ['none'],
    ...(secret === undefined ? {} : { secretHash: await hashSecret(secret) }),
    ...(jwks ? { jwks: jwks as unknown as JSONWebKeySet } : {}),
    grants: [...(redirects.length > 0 ? USER_GRANTS : []), ...(machine ? ['client_credentials'] : [])],
    trusted: true,
  };
}
