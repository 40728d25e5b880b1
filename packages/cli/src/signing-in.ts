import { openSync } from 'node:fs';
import { join } from 'node:path';
import { ReadStream, WriteStream } from 'node:tty';
import {
  type Authorizer,
  type CallerSignIn,
  createCallerSignIn,
  pasteRedirect,
  type Redirect,
  signIn,
} from 'tenon/auth';
import { fileVault, loopbackRedirect } from 'tenon/auth/node';
import { foldersOf } from './folders.js';
import { type GuardOptions, guardsOf } from './guarding.js';
import { variable } from './misuse.js';
import { createTerminal } from './terminal.js';
import type { World } from './world.js';

export interface SignInOptions {
  /** `false`: the page is opened by hand, on whatever machine, and the address that it ends at is pasted. */
  readonly browser?: boolean;
  /** A client that was registered by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string | undefined;
}

export interface CallerSignInCommandOptions extends GuardOptions {
  /** URL under which browsers reach the gateway. Default: the origin of the audience. */
  readonly publicUrl?: string;
  /** A client that was registered by hand at the issuer. */
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
}

/** Signs the user of this machine in where a server asks for it. Tokens are kept in a file that only the user can read. */
export function signsIn(world: World, { browser = true, clientId, clientSecret }: SignInOptions): Authorizer {
  const { settings } = foldersOf(world.env);
  const secret = clientSecret === undefined ? {} : { secret: clientSecret };
  return signIn({
    clientName: 'Tenon',
    vault: fileVault(join(settings, 'tokens.json')),
    redirect: browser ? loopbackRedirect({ print: world.screen.note }) : byHand(world),
    ...(clientId === undefined ? {} : { client: { id: clientId, ...secret } }),
  });
}

/** Signs in the callers whom an issuer names, each for itself. `undefined` without an issuer. */
export function createCallersSignIn(world: World, options: CallerSignInCommandOptions): CallerSignIn | undefined {
  const { issuer, audience, publicUrl, clientId, clientSecretEnv } = options;
  const { auth } = guardsOf(options, world.env);
  if (issuer === undefined || audience === undefined || auth === undefined) return undefined;
  const secret =
    clientSecretEnv === undefined ? {} : { secret: variable(world.env, clientSecretEnv, '--client-secret-env') };
  const { settings } = foldersOf(world.env);
  return createCallerSignIn({
    url: new URL('/sign-in', publicUrl ?? audience).href,
    resource: audience,
    issuer,
    protection: auth,
    clientName: 'Tenon gateway',
    vault: fileVault(join(settings, 'caller-tokens.json')),
    ...(clientId === undefined ? {} : { client: { id: clientId, ...secret } }),
  });
}

/** Standard input may be the protocol's: one types into the terminal behind it, where there is one. */
function byHand({ screen }: World): Redirect {
  const onThisMachine = loopbackRedirect({ open: false, print: screen.note });
  return {
    async begin(known, signal) {
      const tty = openTerminal();
      if (tty === undefined) return onThisMachine.begin(known, signal);
      const paste = pasteRedirect({
        async ask(url, given) {
          const text = `To sign in, open this page on any machine:\n${url}\nThen paste the address that the browser ends at: `;
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
