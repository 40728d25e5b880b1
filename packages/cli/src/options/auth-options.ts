import { type Command, Option } from 'commander';
import { isLoopbackHost } from 'tenon/node';
import type { CliContext } from '../cli-context.js';
import type { HttpAuthOptions } from '../http/http-auth.js';
import { createUsageError } from '../usage-error.js';
import { parseNames } from './option-parsers.js';

/** Authorization options of a command that serves over HTTP. */
export interface CallerOptions extends HttpAuthOptions {
  readonly host?: string;
  readonly allowedHosts?: string[];
  readonly allowUnauthenticated?: boolean;
}

/** Adds the option `--bearer-env`. Rejects `--bearer TOKEN` with an error that does not show the token. */
export function withBearer(command: Command, description: string): Command {
  const onCommandLine = new Option('--bearer [token]').hideHelp().argParser(() => {
    throw createUsageError(
      '--bearer: a token is not accepted here, because other users of this machine can read command lines',
      'put the token into an environment variable and pass its name: --bearer-env NAME',
    );
  });
  return command.option('--bearer-env <NAME>', description).addOption(onCommandLine);
}

/** Adds the options for the address of an endpoint, and for the authorization of its callers. */
export function withProtection(command: Command): Command {
  return command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allowed-hosts <names>', 'accepted Host names, for use behind a reverse proxy', parseNames)
    .option('--allow-unauthenticated', 'with --host beyond loopback: accept calls without a token')
    .option('--issuer <url>', 'require an access token of this authorization server')
    .option('--audience <url>', 'URL of this endpoint as clients use it: the audience of their tokens');
}

/**
 * Rejects a non-loopback address without authorization. With `--allow-unauthenticated`, it prints a warning instead.
 */
export function refuseUnauthenticated({ screen }: CliContext, options: CallerOptions): void {
  const { host = '127.0.0.1', bearerEnv, issuer, allowUnauthenticated = false } = options;
  if (isLoopbackHost(host) || bearerEnv !== undefined || issuer !== undefined) return;
  if (!allowUnauthenticated) {
    throw createUsageError(
      `--host ${host}: without authorization every machine that reaches this address may call all tools`,
      'require a token with --bearer-env NAME, or with --issuer and --audience, or pass --allow-unauthenticated',
    );
  }
  screen.note(`warning: every machine that reaches ${host} may call all tools`, 'warning');
}
