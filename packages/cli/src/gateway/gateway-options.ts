import { type Command, Option } from 'commander';
import { APPROVAL_MODES } from '../host/approvals.js';
import type { GatewayHostOptions } from '../host/create-host.js';
import { type PolicyUserOptions, withPolicyUser } from '../host/policy-user.js';
import type { CallerSignInCommandOptions } from '../http/sign-in.js';
import type { CallerOptions } from '../options/auth-options.js';
import type { EndpointOptions } from '../options/endpoint-options.js';
import { parseCount, parseNames, parsePublicUrl } from '../options/option-parsers.js';
import { type DrainOptions, withStore } from '../options/serving-options.js';
import type { MetricsOptions } from '../serving/metrics.js';
import type { ReadyCondition } from './readiness.js';

/** Options of `tenon gateway`. */
export interface GatewayOptions
  extends GatewayHostOptions,
    CallerOptions,
    CallerSignInCommandOptions,
    DrainOptions,
    EndpointOptions,
    MetricsOptions,
    PolicyUserOptions {
  readonly port?: number;
  readonly stdio?: boolean;
  readonly servers?: readonly string[];
  readonly virtual?: Readonly<Record<string, readonly string[]>>;
  readonly trust?: boolean;
  /** Opens the page of `tenon console` for the servers of the gateway. */
  readonly console?: boolean;
  /** Port of this page. */
  readonly consolePort?: number;
  /** Audit logs of other replicas that this page shows. */
  readonly consoleAudit?: readonly string[];
  readonly json?: boolean;
  /**
   * Opens the control socket.
   * @default `true`
   */
  readonly control?: boolean;
  /**
   * Applies changes of the configuration files and of the policy file.
   * @default `true`
   */
  readonly reload?: boolean;
  /**
   * Condition of `/readyz`.
   * @default `started`
   */
  readonly readyWhen?: ReadyCondition;
  /** Path of a recording. The gateway then only reports the decisions of its policy. */
  readonly dryRun?: string;
}

/** Adds the options of sign-ins of callers. */
export function withCallerSignIn(command: Command): Command {
  return command
    .option(
      '--public-url <url>',
      'URL of this gateway for browsers (default: the origin of --audience)',
      parsePublicUrl,
    )
    .option(
      '--client-id <id>',
      'with --issuer: ID of a client that is registered there with the redirect URI PUBLIC-URL/sign-in/callback',
    )
    .option('--client-secret-env <VARIABLE>', 'environment variable with the client secret');
}

/** Adds the options that restrict, record and shorten calls. */
export function withGuardOptions(command: Command): Command {
  const storing = withStore(
    command,
    'store of tasks, questions and long results: redis://…, postgres://…, sqlite:PATH or a path',
  );
  const deciding = storing
    .option('--policy <file>', 'policy file: rules that allow, deny or ask about calls')
    .option('--list-denied', 'list what the policy always denies to a caller')
    .option(
      '--extensions <ids>',
      'further extensions to carry between callers and servers, besides apps and skills',
      parseNames,
    )
    .option('--dry-run <recording>', 'report the decision of the policy about each recorded call, and serve nothing');
  return withPolicyUser(deciding, 'with --dry-run: ')
    .addOption(
      new Option(
        '--approve <by>',
        'person who approves calls (default: terminal if there is one, else client)',
      ).choices(APPROVAL_MODES),
    )
    .option('--lock [file]', 'lock file to enforce (default: mcp.lock if it exists)')
    .option('--no-lock', 'enforce no lock file')
    .addOption(
      new Option('--drift <what>', 'handling of changes against the lock file').choices(['block', 'ask', 'warn']),
    )
    .option('--audit <file>', 'audit log file')
    .option('--audit-key-env <VARIABLE>', 'environment variable with the key that signs the audit log')
    .addOption(
      new Option('--prefix <when>', 'prefix names with the server name; auto: only with several servers')
        .choices(['auto', 'always', 'never'])
        .default('always'),
    )
    .addOption(
      new Option('--screening <what>', 'handling of texts that look like instructions to a model').choices([
        'report',
        'mask',
        'block',
      ]),
    )
    .option(
      '--budget <tokens>',
      'token budget: above it, offer tools that search, describe and call the others',
      parseCount,
    )
    .addOption(
      new Option(
        '--code-mode <policy>',
        'let models run programs that call tools: beside the listed tools (offer), in their place (default), or as the only way (only)',
      ).choices(['off', 'offer', 'default', 'only']),
    )
    .option('--max-output <characters>', 'maximum length of a result; the rest is available by a link', parseCount)
    .option('--print-url', 'show the sign-in URL of a server instead of opening a browser');
}
