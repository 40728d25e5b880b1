import { isEncryptedOrLocal, TenonError } from '@tenon/base';
import { getOauthErrorCode, isUnknownClientError } from '@tenon/base/oauth';
import type { AuthTarget } from '../auth-target.js';
import { type ClientCredentials, type ClientIdentity, createClientIdentity } from '../client-identity.js';
import { DEVICE_GRANT } from '../grants/device-code.js';
import type { TokenStore, Tokens } from '../token-store.js';
import { ensureRegistered, forgetRegistration, type Registration } from './registration.js';
import type { SignInOptions } from './sign-in.js';

/** Options of a sign-in that choose its client. */
type SignInClientOptions = Pick<
  SignInOptions,
  'client' | 'clientMetadataUrl' | 'clientKey' | 'clientName' | 'clientUri'
>;

/** One run of a sign-in, with a page or a code for the user. */
export interface SignInRun {
  /** Redirect URI of the run, or the device grant. */
  readonly uri: string;
  /** @param isStored True for a client that registered itself before this sign-in. */
  run(identity: ClientIdentity, isStored: boolean): Promise<Tokens>;
  /** True if the user's browser did not come back in time. */
  hasMissedCallback(): boolean;
  close(): void | Promise<void>;
}

/**
 * Signs in with the configured client, else with a registered one. An authorization server that has lost its
 * registrations refuses the stored client, or shows the user a page that leads nowhere. In the first case the client
 * registers again, once, and the sign-in goes on. In the second case only the next sign-in registers, because the user
 * may just be away.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 */
export async function signInAsClient(
  options: SignInClientOptions,
  tokenStore: TokenStore,
  target: AuthTarget,
  signal: AbortSignal,
  begin: () => Promise<SignInRun>,
): Promise<Tokens> {
  const configured = getConfiguredClient(options, target);
  for (let isFirst = true; ; isFirst = false) {
    const attempt = await begin();
    let registration: Registration | undefined;
    try {
      // A redirect URI receives the code.
      if (attempt.uri !== DEVICE_GRANT && !isEncryptedOrLocal(new URL(attempt.uri)))
        throw new TenonError('auth/redirect-uri', 'invalid redirect URI', {
          expected: 'an https: URL, or http: on loopback',
          received: attempt.uri.slice(0, 200),
        });
      if (!configured) registration = await registerItself(options, tokenStore, target, attempt.uri, signal);
      const credentials = configured ?? (registration as Registration).client;
      const identity = await createClientIdentity(target.authorizationServer, credentials);
      const tokens = await attempt.run(identity, registration?.isStored ?? false);
      if (!registration) return tokens;
      const { redirects: _, ...client } = registration.client;
      return { ...tokens, client };
    } catch (error) {
      const isUnknown = isUnknownClientError(getOauthErrorCode(error));
      if (!registration || !(isUnknown || attempt.hasMissedCallback())) throw error;
      await forgetRegistration(tokenStore, target.issuer, registration.client.id);
      if (!isUnknown || !registration.isStored || !isFirst) throw error;
    } finally {
      await attempt.close();
    }
  }
}

/**
 * Returns the configured client, else the client ID metadata document if the authorization server supports such
 * documents.
 */
export function getConfiguredClient(options: SignInClientOptions, target: AuthTarget): ClientCredentials | undefined {
  const { client, clientMetadataUrl, clientKey } = options;
  if (client) return client;
  const { client_id_metadata_document_supported: supportsDocuments } = target.authorizationServer.metadata;
  if (clientMetadataUrl === undefined || supportsDocuments !== true) return undefined;
  return { id: clientMetadataUrl, ...(clientKey === undefined ? {} : { key: clientKey }) };
}

async function registerItself(
  options: SignInClientOptions,
  tokenStore: TokenStore,
  target: AuthTarget,
  uri: string,
  signal: AbortSignal,
): Promise<Registration> {
  if (target.authorizationServer.metadata.registration_endpoint === undefined) {
    const reason =
      options.clientMetadataUrl === undefined
        ? 'dynamic client registration is not supported'
        : 'client metadata documents are not supported either';
    throw new TenonError('auth/no-client', `the authorization server does not know this client: ${reason}`, {
      peer: target.issuer.slice(0, 200),
      hint: 'register a client there manually, and pass `client: { id, issuer }`',
    });
  }
  const clientInfo = { name: options.clientName ?? 'MCP client', uri: options.clientUri };
  return ensureRegistered(target, tokenStore, clientInfo, uri, signal);
}
