import { existsSync } from 'node:fs';
import type { HttpTarget } from 'tenon';
import type { AuthExceptionsByServer, PrivateJwk } from 'tenon/auth';
import type { CliContext } from '../cli-context.js';
import type { HttpOptions, OAuthClient } from '../http/http-options.js';
import { chooseTokenStore, getTokenStorePath } from '../http/token-store-kind.js';
import { createUsageError, readVariable } from '../usage-error.js';

type Authorizer = Exclude<NonNullable<HttpTarget['auth']>, string>;

/**
 * Creates an authorizer that uses the tokens of earlier sign-ins, and starts a sign-in if a user is present. Its code
 * is loaded only when there are tokens or the server refuses a request, because loading takes time.
 */
export function createTargetAuthorizer(
  context: CliContext,
  options: HttpOptions,
  client: OAuthClient,
  exceptions: AuthExceptionsByServer = {},
): Authorizer {
  let loaded: Promise<Authorizer> | undefined;
  const load = () => {
    loaded ??= loadAuthorizer(context, options, client, exceptions);
    return loaded;
  };
  const hasTokens = existsSync(getTokenStorePath(context, 'tokens', chooseTokenStore(context, options.tokenStore)));
  return {
    getHeaders: async request => (hasTokens || loaded ? (await load()).getHeaders(request) : {}),
    handleRefusal: async refusal => (await load()).handleRefusal(refusal),
    onResponse: response => void loaded?.then(authorizer => authorizer.onResponse?.(response)),
  };
}

async function loadAuthorizer(
  context: CliContext,
  options: HttpOptions,
  client: OAuthClient,
  exceptions: AuthExceptionsByServer,
): Promise<Authorizer> {
  const { createClientSignIn, createUserSignIn } = await import('../http/sign-in.js');
  const { printUrl = false, input = true, auth, tokenStore } = options;
  if (auth === 'client-credentials') return createClientSignIn(context, client, { exceptions, tokenStore });
  const isPresent =
    auth === 'browser' || auth === 'device' || (auth === undefined && (context.terminal.interactive || printUrl));
  const flow = auth === 'device' ? 'device' : printUrl ? 'url' : 'browser';
  return createUserSignIn(context, {
    flow,
    storedOnly: !input || !isPresent,
    client,
    exceptions,
    loopback: options.redirectUri,
    tokenStore,
  });
}

/** Reads the OAuth client that the options name. It is read at the start, so that a wrong option is reported at once. */
export async function readOAuthClient(context: CliContext, options: HttpOptions): Promise<OAuthClient> {
  const { clientId } = options;
  return { ...(clientId === undefined ? {} : { id: clientId }), ...(await readClientSecret(context, options)) };
}

async function readClientSecret(
  context: CliContext,
  { clientSecretEnv, clientSecretFile, clientKeyFile }: HttpOptions,
): Promise<OAuthClient> {
  if (clientSecretEnv !== undefined)
    return { secret: readVariable(context.env, clientSecretEnv, '--client-secret-env') };
  if (clientSecretFile !== undefined) {
    const { readSecretFile } = await import('../http/secret-file.js');
    return { secret: await readSecretFile(context, clientSecretFile, '--client-secret-file') };
  }
  if (clientKeyFile === undefined) return {};
  const { readSecretFile } = await import('../http/secret-file.js');
  const key = await readSecretFile(context, clientKeyFile, '--client-key-file');
  return { key: key.startsWith('{') ? parseJwk(key) : key };
}

function parseJwk(text: string): PrivateJwk {
  try {
    return JSON.parse(text);
  } catch {
    throw createUsageError('--client-key-file: invalid JSON', 'pass a file with a PKCS #8 PEM key or a JWK');
  }
}
