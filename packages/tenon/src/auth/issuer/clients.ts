import type { JSONWebKeySet } from 'jose';
import { BY_USER, type Client } from './client.js';
import { readClientDocument } from './client-document.js';
import { type Settings, wrong } from './options.js';
import { isRedirectUri } from './redirect-uri.js';
import { hashed } from './secrets.js';

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

const BY_SECRET = ['client_secret_basic', 'client_secret_post'] as const;

export interface Clients {
  /** Throws a `Refusal` for one whose document is not good; `undefined` for one that nobody knows. */
  find(id: string): Promise<Client | undefined>;
}

/** Throws `auth/issuer-options` for one that is given and not fit. */
export function createClients(settings: Settings): Clients {
  for (const client of settings.clients) checkClient(client, settings);
  const documents = new Map<string, { client: Client; until: number }>();
  return {
    async find(id) {
      const known = settings.clients.find(each => each.id === id);
      if (known) return configured(known);
      if (id.startsWith('https://') || id.startsWith('http://')) return readClientDocument(id, settings, documents);
      return settings.registrations.find(id);
    },
  };
}

function checkClient({ id, redirects = [], secret, jwks, machine }: IssuerClient, { schemes }: Settings): void {
  if (!/^[ -~]{1,200}$/.test(id)) throw wrong('clients', 'ids of 1 to 200 printable ASCII characters', id);
  const unfit = redirects.find(uri => !isRedirectUri(uri, 'native', schemes));
  if (unfit !== undefined) throw wrong('clients', 'redirect URIs of https:, of loopback, or of an app', unfit);
  if (machine && secret === undefined && jwks === undefined) {
    throw wrong('clients', 'a secret or keys for a machine', id);
  }
  if (secret !== undefined && secret.length < 16) throw wrong('clients', 'secrets of 16 characters or more', id);
}

async function configured(client: IssuerClient): Promise<Client> {
  const { id, name = id, redirects = [], secret, jwks, machine = false } = client;
  const methods = [...(secret === undefined ? [] : BY_SECRET), ...(jwks ? (['private_key_jwt'] as const) : [])];
  return {
    id,
    name,
    redirects,
    methods: methods.length > 0 ? methods : ['none'],
    ...(secret === undefined ? {} : { secretHash: await hashed(secret) }),
    ...(jwks ? { jwks: jwks as unknown as JSONWebKeySet } : {}),
    grants: [...(redirects.length > 0 ? BY_USER : []), ...(machine ? ['client_credentials'] : [])],
    trusted: true,
  };
}
