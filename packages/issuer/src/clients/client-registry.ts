import {
  checkArray,
  checkBoolean,
  checkObject,
  checkOptional,
  checkString,
  type OptionChecks,
  requireOptions,
} from '@tenon/base';
import type { JSONWebKeySet } from 'jose';
import { createOptionError, OPTIONS_CODE } from '../option-error.js';
import type { IssuerSettings } from '../options.js';
import { hashSecret } from '../secrets.js';
import { type IssuerClient, type OauthClient, USER_GRANTS } from './client.js';
import { getDocumentedClient } from './client-document.js';
import { isRedirectUri } from './redirect-uri.js';

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const;

export interface ClientRegistry {
  /**
   * Finds a client. Resolves with `undefined` for an unknown one.
   *
   * @throws OauthError for an invalid metadata document.
   */
  find(id: string): Promise<OauthClient | undefined>;
}

/**
 * Creates the registry of clients: configured, registered, or described by a metadata document.
 *
 * @throws TenonError `auth/issuer-options`
 */
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

const clientChecks: OptionChecks<IssuerClient> = {
  id: checkString,
  name: checkOptional(checkString),
  redirects: checkOptional(checkArray(checkString)),
  secret: checkOptional(checkString),
  jwks: checkOptional(checkObject({ keys: checkArray(checkObject()) })),
  machine: checkOptional(checkBoolean),
};

function checkClient(client: IssuerClient, { redirectSchemes }: IssuerSettings): void {
  requireOptions('`clients`', client, clientChecks, OPTIONS_CODE);
  const { id, redirects = [], secret, jwks, machine } = client;
  if (!/^[ -~]{1,200}$/.test(id)) throw createOptionError('clients', 'ids of 1 to 200 printable ASCII characters', id);
  const invalidUri = redirects.find(uri => !isRedirectUri(uri, 'native', redirectSchemes));
  if (invalidUri !== undefined)
    throw createOptionError('clients', 'redirect URIs with https:, loopback or an app scheme', invalidUri);
  if (redirects.length === 0 && !machine)
    throw createOptionError('clients', '`redirects`, or `machine: true` for a client without users', id);
  if (machine && secret === undefined && jwks === undefined) {
    throw createOptionError('clients', 'a secret or keys for a client without redirect URIs', id);
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
    ...(secret === undefined ? {} : { secretHash: hashSecret(secret) }),
    ...(jwks ? { jwks: jwks as JSONWebKeySet } : {}),
    grants: [...(redirects.length > 0 ? USER_GRANTS : []), ...(machine ? ['client_credentials'] : [])],
    trusted: true,
  };
}
