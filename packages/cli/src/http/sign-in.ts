import { openSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';
import {
  type AuthExceptionsByServer,
  type Authorizer,
  type CallerSignIn,
  clientCredentials,
  createCallerSignIn,
  type DeviceCode,
  manualRedirect,
  type Redirect,
  type SignInOptions,
  signIn,
} from 'tenon/auth';
import { type LoopbackOptions, loopbackRedirect } from 'tenon/auth/node';
import type { CliContext } from '../cli-context.js';
import { createTerminal } from '../terminal.js';
import { createUsageError, readVariable } from '../usage-error.js';
import { createHttpAuth, type HttpAuthOptions } from './http-auth.js';
import type { OAuthClient } from './http-options.js';
import { openTokenStore } from './token-store.js';
import type { TokenStoreKind } from './token-store-kind.js';

export interface UserSignInOptions {
  /**
   * `browser` opens the sign-in page in a browser. With `url`, the user opens the page on any machine, and pastes the
   * final address of the browser. With `device`, the user enters a code on any machine.
   * @default `browser`
   */
  readonly flow?: 'browser' | 'url' | 'device';
  /**
   * Uses tokens of earlier sign-ins only. A sign-in that needs the user fails with `auth/needs-user`.
   * @default `false`
   */
  readonly storedOnly?: boolean;
  readonly client?: OAuthClient;
  /**
   * Exceptions of servers, by URL.
   * @default none
   */
  readonly exceptions?: AuthExceptionsByServer;
  /**
   * Redirect URI of a client that was registered by hand.
   * @default the path `/callback` at any port of 127.0.0.1
   */
  readonly loopback?: LoopbackOptions | undefined;
  /**
   * Token store to use.
   * @default that of the variable `TENON_TOKEN_STORE`, else a file
   */
  readonly tokenStore?: TokenStoreKind | undefined;
}

export interface CallerSignInCommandOptions extends HttpAuthOptions {
  /**
   * URL at which browsers reach the gateway.
   * @default the origin of the audience
   */
  readonly publicUrl?: string;
  /** ID of a client that is registered manually at the issuer. */
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  /** Path before those of all endpoints. */
  readonly basePath?: string | undefined;
}

/**
 * Signs the user of this machine in when a server requires it. Stores tokens in a file that only the user can read, or
 * that a key in the keychain of the system encrypts.
 */
export function createUserSignIn(
  context: CliContext,
  {
    flow = 'browser',
    storedOnly = false,
    client: { id, ...secret } = {},
    exceptions = {},
    loopback = { path: '/callback' },
    tokenStore,
  }: UserSignInOptions,
): Authorizer {
  return signIn({
    clientName: 'Tenon',
    exceptions,
    tokenStore: openTokenStore(context, 'tokens', tokenStore),
    ...(storedOnly ? {} : createSignInFlow(context, flow, id === undefined ? {} : loopback)),
    ...(id === undefined ? {} : { client: { id, ...secret } }),
  });
}

/** Signs this program in with credentials of its own, without a user. */
export function createClientSignIn(
  context: CliContext,
  { id, ...secret }: OAuthClient,
  { exceptions = {}, tokenStore }: Pick<UserSignInOptions, 'exceptions' | 'tokenStore'> = {},
): Authorizer {
  if (id === undefined || (secret.secret === undefined && secret.key === undefined))
    throw createUsageError(
      '--auth client-credentials: no credentials',
      'pass --client-id, and --client-secret-env, --client-secret-file or --client-key-file',
    );
  const openedStore = openTokenStore(context, 'tokens', tokenStore);
  return clientCredentials({ id, ...secret, exceptions, tokenStore: openedStore });
}

function createSignInFlow(
  context: CliContext,
  flow: UserSignInOptions['flow'],
  registered: LoopbackOptions,
): Partial<SignInOptions> {
  const { note } = context.screen;
  if (flow === 'device') return { showDeviceCode: code => note(formatDeviceCode(code)) };
  const loopback = { ...registered, print: note };
  return {
    redirect: flow === 'url' ? createManualRedirect(context, loopback) : loopbackRedirect(loopback),
    confirmIssuer: ({ server, host }, signal) => confirmHost(context, server, host, signal),
  };
}

/** Asks on the controlling terminal, because a protocol may use standard input. Without a terminal, nothing is confirmed. */
async function confirmHost({ screen }: CliContext, server: string, host: string, signal: AbortSignal) {
  const tty = openTerminal(screen);
  if (tty === undefined) return false;
  const details = `Access to ${new URL(server).host} is granted by ${host}. Its response does not prove that it comes from there.`;
  try {
    return (await tty.terminal.confirm({ message: `Did you sign in on a page of ${host}?`, details, signal })) === true;
  } finally {
    tty.close();
  }
}

const formatDeviceCode = ({ url, userCode, completeUrl, lifetime }: DeviceCode): string =>
  [
    `To sign in, open this page on any machine within ${Math.floor(lifetime / 60_000)} minutes: ${url}`,
    `and enter the code: ${userCode}`,
    ...(completeUrl === undefined ? [] : [`The page with the code in it: ${completeUrl}`]),
  ].join('\n');

/** Signs in each caller that an issuer identifies. Returns `undefined` without an issuer. */
export function createGatewaySignIn(
  context: CliContext,
  options: CallerSignInCommandOptions,
): CallerSignIn | undefined {
  const { issuer, audience, publicUrl, clientId, clientSecretEnv, basePath = '' } = options;
  const { auth } = createHttpAuth(options, context.env);
  if (issuer === undefined || audience === undefined || auth === undefined) return undefined;
  const secret =
    clientSecretEnv === undefined ? {} : { secret: readVariable(context.env, clientSecretEnv, '--client-secret-env') };
  return createCallerSignIn({
    url: new URL(`${basePath}/sign-in`, publicUrl ?? audience).href,
    resource: audience,
    issuer,
    tokenVerifier: auth,
    clientName: 'Tenon gateway',
    tokenStore: openTokenStore(context, 'caller-tokens'),
    ...(clientId === undefined ? {} : { client: { id: clientId, ...secret } }),
  });
}

/** Creates a redirect that reads from the controlling terminal, because a protocol may use standard input. */
function createManualRedirect({ screen }: CliContext, loopback: LoopbackOptions): Redirect {
  const onThisMachine = loopbackRedirect({ ...loopback, open: false });
  return {
    async begin(known, signal, issuerPath) {
      const tty = openTerminal(screen);
      if (tty === undefined) return onThisMachine.begin(known, signal, issuerPath);
      const paste = manualRedirect({
        async ask(url, given) {
          const details = `To sign in, open this page on any machine:\n${url}`;
          const message = 'Paste the final address of the browser';
          return (await tty.terminal.askText({ message, details, signal: given })) ?? '';
        },
      });
      const attempt = await paste.begin(known, signal, issuerPath);
      const close = async () => {
        await attempt.close();
        tty.close();
      };
      return { uri: attempt.uri, authorize: (url, given) => attempt.authorize(url, given), close };
    },
  };
}

function openTerminal(screen: CliContext['screen']) {
  try {
    const [input, output] = [new ReadStream(openSync('/dev/tty', 'r')), new WriteStream(openSync('/dev/tty', 'w'))];
    const close = () => {
      input.destroy();
      output.destroy();
    };
    return { terminal: createTerminal(input, output, screen), close };
  } catch {
    return undefined;
  }
}
