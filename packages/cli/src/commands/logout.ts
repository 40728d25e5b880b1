import { type Command, Option } from 'commander';
import { TenonError } from 'tenon';
import { listSignIns, type StoredSignIn } from 'tenon/auth';
import type { CliContext } from '../cli-context.js';
import { requestDaemon } from '../daemon/daemon-request.js';
import { findDaemon } from '../daemon/find-daemon.js';
import { exitCodes } from '../exit-codes.js';
import { findConfiguredServer } from '../host/find-configured-server.js';
import type { HttpOptions } from '../http/http-options.js';
import { openTokenStore } from '../http/token-store.js';
import { TOKEN_STORES } from '../http/token-store-kind.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseAuthException, parseNames } from '../options/option-parsers.js';
import { summaries } from '../summaries.js';
import { readOAuthClient } from '../target/target-authorizer.js';
import { takeOnlyTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

interface LogoutOptions
  extends Pick<
    HttpOptions,
    'clientId' | 'clientSecretEnv' | 'clientSecretFile' | 'clientKeyFile' | 'authException' | 'tokenStore'
  > {
  readonly config?: string[];
  readonly callers?: boolean;
  readonly json?: boolean;
}

/** Sign-out of one client at a server. */
export interface SignOutReport {
  /** ID of the client. `null` if it registered itself. */
  readonly clientId: string | null;
  /** True if tokens were stored. They are deleted. */
  readonly tokensDeleted: boolean;
  /** True if the authorization server has revoked the tokens, so that nobody can use them any more. */
  readonly tokensRevoked: boolean;
  /** True if a dynamic registration was stored. It is deleted. */
  readonly registrationDeleted: boolean;
  /** Reason that the tokens were not revoked, if the attempt failed. */
  readonly error?: string;
}

export function createLogoutCommand(context: CliContext): Command {
  return createCommand('logout', summaries.logout)
    .description(
      'Signs out of a server: deletes its tokens, revokes them at the authorization server, and forgets a client that registered itself. The next command signs in again.',
    )
    .argument('<target>', 'URL, or name in a configuration')
    .option('--json', 'print JSON on standard output, and errors as one line of JSON on standard error')
    .option('--callers', 'sign out all callers of `tenon gateway --issuer` instead of the user of this machine')
    .option(
      '--config <file>',
      'configuration file; repeatable (default: ./mcp.json and those of MCP hosts)',
      parseNames,
    )
    .option('--client-id <id>', 'sign out only this OAuth client (default: all that signed in to the server)')
    .option('--client-secret-env <VARIABLE>', 'environment variable with the client secret, to revoke the tokens')
    .option('--client-secret-file <file>', 'file with the client secret')
    .option('--client-key-file <file>', 'file with the private key of the client: PEM or JWK')
    .option(
      '--auth-exception <name>',
      'exception that the sign-in had: ignoreIssuerSlash, issuer=URL, omitResource, sendScopeOnRefresh or assumePkce; repeatable',
      parseAuthException,
    )
    .addOption(
      new Option('--token-store <where>', 'place of stored tokens (default: TENON_TOKEN_STORE, else file)').choices(
        TOKEN_STORES,
      ),
    )
    .addHelpText(
      'after',
      formatExamples([
        ['tenon logout https://example.com/mcp', 'delete and revoke your tokens for a server'],
        ['tenon logout notes --json', 'the server "notes" of a configuration, with a report in JSON'],
      ]),
    )
    .action((target: string, options: LogoutOptions) => signOut(context, target, options));
}

async function signOut(context: CliContext, target: string, options: LogoutOptions): Promise<void> {
  const { url, exceptions } = await findServer(context, target, options);
  const { id, ...secret } = await readOAuthClient(context, options);
  const signIns = await listSignIns({
    tokenStore: openTokenStore(context, options.callers ? 'caller-tokens' : 'tokens', options.tokenStore),
    exceptions: { [url]: { ...exceptions, ...options.authException } },
    ...(id === undefined ? {} : { client: { id, ...secret } }),
  });
  const chosen = signIns.filter(({ server, clientId }) => server === url && (id === undefined || clientId === id));
  const reports: SignOutReport[] = [];
  for (const signIn of chosen) {
    const report = await signOutClient(signIn);
    // A sign-in that was not completed has left nothing but the issuer.
    if (report.tokensDeleted || report.registrationDeleted) reports.push(report);
  }
  const connectionsClosed = options.callers ? 0 : await closeKeptConnections(context, url);
  context.code = reports.some(({ error }) => error !== undefined) ? exitCodes.failure : exitCodes.success;
  if (options.json) return context.screen.printJson({ server: url, signOuts: reports, connectionsClosed });
  const { print, note } = context.screen;
  if (reports.length === 0) print(`not signed in to ${url}${id === undefined ? '' : ` as the client ${id}`}`);
  for (const report of reports) {
    print(`signed out of ${url}: ${describeReport(report)}`);
    if (report.error !== undefined) note(`warning: ${report.error}`, 'warning');
  }
  if (connectionsClosed > 0) note('closed its connection of `--keep`');
}

async function findServer(
  context: CliContext,
  target: string,
  { config = [] }: LogoutOptions,
): Promise<{ readonly url: string; readonly exceptions?: HttpOptions['authException'] }> {
  const reference = takeOnlyTarget(context, [target]);
  if (reference.kind === 'url') return { url: new URL(reference.url).href };
  if (reference.kind !== 'name')
    throw createUsageError(
      `${target}: not a server at a URL`,
      'pass a URL, or the name of a server in a configuration',
    );
  // Nothing is started or asked of the server, so that it needs no approval.
  const entry = await findConfiguredServer(context, reference.name, { config, trust: true });
  if (!('url' in entry.target) || entry.target.transport === 'openapi')
    throw createUsageError(
      `${target}: not a server at a URL`,
      'a server that a command starts, or that is an OpenAPI document, has no sign-in',
    );
  return {
    url: new URL(entry.target.url).href,
    ...(entry.authExceptions ? { exceptions: entry.authExceptions } : {}),
  };
}

async function signOutClient(signIn: StoredSignIn): Promise<SignOutReport> {
  const clientId = signIn.clientId ?? null;
  try {
    const { hadTokens, revoked, hadRegistration } = await signIn.signOut();
    return { clientId, tokensDeleted: hadTokens, tokensRevoked: revoked, registrationDeleted: hadRegistration };
  } catch (thrown) {
    const error = TenonError.from(thrown);
    if (error.code !== 'auth/not-revoked') throw error;
    const isRegistered = signIn.clientId === undefined;
    return {
      clientId,
      tokensDeleted: true,
      tokensRevoked: false,
      registrationDeleted: isRegistered,
      error: error.message,
    };
  }
}

function describeReport({ clientId, tokensDeleted, tokensRevoked, registrationDeleted }: SignOutReport): string {
  const tokens = !tokensDeleted
    ? 'no tokens were stored'
    : tokensRevoked
      ? 'tokens deleted and revoked'
      : 'tokens deleted, not revoked; they expire by themselves';
  const registration = registrationDeleted ? ', client registration forgotten' : '';
  return `${tokens}${registration}${clientId === null ? '' : ` (client ${clientId})`}`;
}

/** Closes the connections of the daemon, because they keep the access token in memory. */
async function closeKeptConnections(context: CliContext, url: string): Promise<number> {
  const running = await findDaemon(context);
  if (!running) return 0;
  // A daemon of another version is replaced at its next use.
  const { closed } = Object(await requestDaemon(running.record, 'POST', '/close', { url }).catch(() => undefined));
  return typeof closed === 'number' ? closed : 0;
}
