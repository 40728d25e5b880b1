import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpTarget } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { readVariable } from '../usage-error.js';
import type { TargetOptions } from './target-options.js';

type Authorizer = Exclude<NonNullable<HttpTarget['auth']>, string>;

/**
 * Creates an authorizer that uses the tokens of earlier sign-ins, and starts a sign-in if a user is present. Its code
 * is loaded only when there are tokens or the server refuses a request, because loading takes time.
 */
export function createTargetAuthorizer(context: CliContext, options: TargetOptions): Authorizer {
  let loaded: Promise<Authorizer> | undefined;
  const load = () => {
    loaded ??= loadAuthorizer(context, options);
    return loaded;
  };
  const hasTokens = existsSync(join(getFolders(context.env).settings, 'tokens.json'));
  return {
    getHeaders: async request => (hasTokens || loaded ? (await load()).getHeaders(request) : {}),
    handleRefusal: async refusal => (await load()).handleRefusal(refusal),
    onResponse: response => void loaded?.then(authorizer => authorizer.onResponse?.(response)),
  };
}

async function loadAuthorizer(context: CliContext, options: TargetOptions): Promise<Authorizer> {
  const { createUserSignIn } = await import('../http/sign-in.js');
  const { clientId, clientSecretEnv, browser = true, input = true, auth } = options;
  const clientSecret =
    clientSecretEnv === undefined ? undefined : readVariable(context.env, clientSecretEnv, '--client-secret-env');
  const isPresent = auth === 'browser' || (auth === undefined && (context.terminal.interactive || !browser));
  return createUserSignIn(context, {
    browser,
    storedOnly: !input || !isPresent,
    clientSecret,
    ...(clientId === undefined ? {} : { clientId }),
  });
}
