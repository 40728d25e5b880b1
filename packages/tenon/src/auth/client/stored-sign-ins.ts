import { checkObject, requireArgument, requireKnownOptions, TenonError } from '@tenon/base';
import { type AuthorizerOptions, resolveSettings } from './settings.js';
import { createInteractiveGrant, REGISTERED, type RegisteredClient, type SignInOptions } from './sign-in/sign-in.js';
import { createTokenSession, type SignOutOutcome } from './token-session.js';
import { mergeTokenStores, scopeTokenStore, type TokenStore } from './token-store.js';

/** Options of `listSignIns`. */
export interface ListSignInsOptions extends Pick<AuthorizerOptions, 'exceptions' | 'fetch' | 'clock'> {
  /** Store with the tokens. It must have `listKeys`, as those in memory and in files have. */
  readonly tokenStore: TokenStore;
  /**
   * Client with a secret or a key, which authenticates it when its tokens are revoked.
   * @default none: only public and registered clients can revoke tokens
   */
  readonly client?: RegisteredClient | undefined;
}

/** Sign-in of a user or a program at one server, whose tokens are in a token store. */
export interface StoredSignIn {
  /** URL of the MCP server. */
  readonly server: string;
  /** ID of the client that signed in. Absent if the client registered itself. */
  readonly clientId?: string;
  /** User of `scopeTokenStore`, or caller of a gateway. Absent for the only user of a store. */
  readonly user?: string;
  /**
   * Deletes the tokens, revokes them, and forgets the dynamic registration. A process that runs keeps the access token
   * that it has in memory, until the token expires or the server refuses it.
   * @throws TenonError `auth/not-revoked`: the tokens are deleted but still valid
   */
  signOut(): Promise<SignOutOutcome>;
}

/**
 * Lists the sign-ins whose tokens a token store contains, so that a user can sign out of servers that the program does
 * not use any more.
 * @throws TenonError `auth/options` for a store without `listKeys`
 */
export async function listSignIns(options: ListSignInsOptions): Promise<StoredSignIn[]> {
  requireKnownOptions('listSignIns', options, {
    tokenStore: true,
    client: true,
    exceptions: true,
    fetch: true,
    clock: true,
  });
  const { tokenStore } = options;
  requireArgument('`tokenStore` of listSignIns', tokenStore, checkObject(), 'auth/options');
  if (!tokenStore.listKeys)
    throw new TenonError('auth/options', 'the token store cannot list its entries', {
      expected: 'a token store with `listKeys`, such as fileTokenStore',
      hint: 'use `signOut` of the authorizer for a server that you know',
    });
  return (await tokenStore.listKeys()).flatMap(key => {
    const [user, [kind, server, clientKey]] = key[0] === 'user' ? [key[1], key.slice(2)] : [undefined, key];
    if (kind !== 'server' || server === undefined || clientKey === undefined) return [];
    const own = user === undefined ? tokenStore : scopeTokenStore(tokenStore, user);
    const settings = resolveSettings({ ...options, tokenStore: mergeTokenStores(tokenStore, own) });
    const grant = createInteractiveGrant(identifyStoredClient(clientKey, options.client), settings);
    return {
      server,
      ...(clientKey === REGISTERED ? {} : { clientId: clientKey }),
      ...(user === undefined ? {} : { user }),
      async signOut() {
        try {
          return await createTokenSession(server, grant, settings).signOut();
        } finally {
          // The last authorization server was asked to revoke its tokens. The server may have used others earlier.
          for (const other of (await own.listKeys?.()) ?? []) {
            const isOwn = other[0] === 'tokens' && other[1] === server && other.at(-1) === clientKey;
            if (isOwn) await own.update(other, async () => ({ next: null, result: undefined }));
          }
        }
      },
    };
  });
}

/** Returns the options of the sign-in that stored tokens under this key. */
function identifyStoredClient(
  clientKey: string,
  given: RegisteredClient | undefined,
): Pick<SignInOptions, 'client' | 'clientMetadataUrl'> {
  if (clientKey === REGISTERED) return {};
  // The URL of a metadata document is its client ID. Without support for it, the client has registered itself.
  if (clientKey.startsWith('https:') && clientKey !== given?.id) return { clientMetadataUrl: clientKey };
  return { client: clientKey === given?.id ? given : { id: clientKey } };
}
