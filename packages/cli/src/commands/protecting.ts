import { type Command, Option } from 'commander';
import type { GuardOptions } from '../guarding.js';
import { misuse } from '../misuse.js';
import type { World } from '../world.js';

/** The options of a command that serves over HTTP, as far as they say who may call. */
export interface CallerOptions extends GuardOptions {
  readonly host?: string;
  readonly allowedHosts?: string[];
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Adds `--bearer-env`, and refuses `--bearer TOKEN` without showing the token. */
export function withBearer(command: Command, description: string): Command {
  const onCommandLine = new Option('--bearer [token]').hideHelp().argParser(() => {
    throw misuse(
      '--bearer: a token is not accepted here, because other users of this machine can read command lines',
      'put the token into an environment variable and pass its name: --bearer-env NAME',
    );
  });
  return command.option('--bearer-env <NAME>', description).addOption(onCommandLine);
}

export function withProtection(
  command: Command,
  parse: (text: string, before?: readonly string[]) => string[],
): Command {
  return command
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--allowed-hosts <names>', 'names by which clients may call it, behind a proxy for example', parse)
    .option('--issuer <url>', 'let in only who has an access token of this authorization server')
    .option('--audience <url>', 'the URL under which clients know the endpoint: what such tokens are for');
}

/** Says so where anybody who reaches the address may call. */
export function warnOfStrangers({ screen }: World, { host = '127.0.0.1', bearerEnv, issuer }: CallerOptions): void {
  if (LOOPBACK.test(host) || bearerEnv !== undefined || issuer !== undefined) return;
  screen.note(`warning: whoever reaches ${host} may call everything here; see --bearer-env and --issuer`);
}
