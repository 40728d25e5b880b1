import { openSync } from 'node:fs';
import { join } from 'node:path';
import { ReadStream, WriteStream } from 'node:tty';
import {
  type Authorizer,
  type CallerSignIn,
  createCallerSignIn,
  manualRedirect,
  type Redirect,
  signIn,
} from 'tenon/auth';
import { fileTokenStore, loopbackRedirect } from 'tenon/auth/node';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { createTerminal } from '../terminal.js';
import { readVariable } from '../usage-error.js';
import { createHttpAuth, type HttpAuthOptions } from './http-auth.js';

export interface UserSignInOptions {
  /**
   * Opens the sign-in page in a browser. With `false`, the user opens the page on any machine, and pastes the final
   * address of the browser.
   * @default `true`
   */
  readonly browser?: boolean;
  /**
   * Uses tokens of earlier sign-ins only. A sign-in that needs the user fails with `auth/needs-user`.
   * @default `false`
   */
  readonly storedOnly?: boolean;
  /** ID of a client that is registered manually. */
  readonly clientId?: string;
  readonly clientSecret?: string | undefined;
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
}

/** Signs the user of this machine in when a server requires it. Stores tokens in a file that only the user can read. */
export function createUserSignIn(
  context: CliContext,
  { browser = true, storedOnly = false, clientId, clientSecret }: UserSignInOptions,
): Authorizer {
  const { settings } = getFolders(context.env);
  const secret = clientSecret === undefined ? {} : { secret: clientSecret };
  return signIn({
    clientName: 'Tenon',
    tokenStore: fileTokenStore(join(settings, 'tokens.json')),
    ...(storedOnly ? {} : { redirect: createRedirect(context, browser) }),
    ...(clientId === undefined ? {} : { client: { id: clientId, ...secret } }),
  });
}

function createRedirect(context: CliContext, browser: boolean): Redirect {
  return browser ? loopbackRedirect({ print: context.screen.note }) : createManualRedirect(context);
}

/** Signs in each caller that an issuer identifies. Returns `undefined` without an issuer. */
export function createGatewaySignIn(
  context: CliContext,
  options: CallerSignInCommandOptions,
): CallerSignIn | undefined {
  const { issuer, audience, publicUrl, clientId, clientSecretEnv } = options;
  const { auth } = createHttpAuth(options, context.env);
  if (issuer === undefined || audience === undefined || auth === undefined) return undefined;
  const secret =
    clientSecretEnv === undefined ? {} : { secret: readVariable(context.env, clientSecretEnv, '--client-secret-env') };
  const { settings } = getFolders(context.env);
  return createCallerSignIn({
    url: new URL('/sign-in', publicUrl ?? audience).href,
    resource: audience,
    issuer,
    tokenVerifier: auth,
    clientName: 'Tenon gateway',
    tokenStore: fileTokenStore(join(settings, 'caller-tokens.json')),
    ...(clientId === undefined ? {} : { client: { id: clientId, ...secret } }),
  });
}

/** Creates a redirect that reads from the controlling terminal, because a protocol may use standard input. */
function createManualRedirect({ screen }: CliContext): Redirect {
  const onThisMachine = loopbackRedirect({ open: false, print: screen.note });
  return {
    async begin(known, signal) {
      const tty = openTerminal();
      if (tty === undefined) return onThisMachine.begin(known, signal);
      const paste = manualRedirect({
        async ask(url, given) {
          const text = `To sign in, open this page on any machine:\n${url}\nThen paste the final address of the browser: `;
          return (await tty.terminal.ask(text, { signal: given })) ?? '';
        },
      });
      const attempt = await paste.begin(known, signal);
      const close = async () => {
        await attempt.close();
        tty.close();
      };
      return { uri: attempt.uri, authorize: (url, given) => attempt.authorize(url, given), close };
    },
  };
}

function openTerminal() {
  try {
    const [input, output] = [new ReadStream(openSync('/dev/tty', 'r')), new WriteStream(openSync('/dev/tty', 'w'))];
    const close = () => {
      input.destroy();
      output.destroy();
    };
    return { terminal: createTerminal(input, output), close };
  } catch {
    return undefined;
  }
}
