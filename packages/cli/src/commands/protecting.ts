import type { Command } from 'commander';
import type { GuardOptions } from '../guarding.js';
import type { World } from '../world.js';

/** The options of a command that serves over HTTP, as far as they say who may call. */
export interface CallerOptions extends GuardOptions {
  readonly host?: string;
  readonly allowedHosts?: string[];
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

export function withProtection(
  command: Command,
  parse: (text: string, before?: readonly string[]) => string[],
): Command {
  return command
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--allowed-hosts <names>', 'names by which clients may call it, behind a proxy for example', parse)
    .option('--bearer <VARIABLE>', 'let in only who sends the token that is in this variable')
    .option('--issuer <url>', 'let in only who has an access token of this authorization server')
    .option('--audience <url>', 'the URL under which clients know the endpoint: what such tokens are for');
}

/** Says so where anybody who reaches the address may call. */
export function warnOfStrangers({ screen }: World, { host = '127.0.0.1', bearer, issuer }: CallerOptions): void {
  if (LOOPBACK.test(host) || bearer !== undefined || issuer !== undefined) return;
  screen.note(`warning: whoever reaches ${host} may call everything here; see --bearer and --issuer`);
}
