import { resolve } from 'node:path';
import type { Command } from 'commander';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { readExpectedFailures } from '../conformance/expected-failures.js';
import { findSuite } from '../conformance/find-suite.js';
import { runConformance } from '../conformance/run-conformance.js';
import { formatFindings } from '../doctor/format-findings.js';
import { formatJunit } from '../doctor/format-junit.js';
import { exitCodes } from '../exit-codes.js';
import { download } from '../http/download.js';
import { createServedHost, listenForTarget } from '../http/serve-target.js';
import { formatExamples } from '../options/create-command.js';
import { parseNames } from '../options/option-parsers.js';
import { checkReportOptions, JUNIT_HELP, writeReport } from '../reports/write-report.js';
import { summaries } from '../summaries.js';
import { type ResolvedServer, resolveServer } from '../target/resolve-target.js';
import { listenForInterrupt } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { takeOnlyTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

interface ConformanceCommandOptions extends TargetOptions {
  readonly client?: string;
  readonly scenario?: string[];
  readonly suite?: string;
  readonly requirements?: string;
  readonly baseline?: string;
  readonly node?: string;
  readonly all?: boolean;
  readonly strict?: boolean;
  readonly junit?: string;
}

/** Server that the suite can call. */
interface ReachableServer {
  readonly url: string;
  readonly label: string;
  close(): Promise<void>;
}

/** Maximum number of processes. The suite opens a session per scenario, and does not end all of them. */
const MAX_PROCESSES = 100;
/** Time after which the process of a session is stopped, in milliseconds. */
const IDLE_TIMEOUT = 15_000;
/** Maximum time for the first response of a server, in milliseconds. */
const REACH_TIMEOUT = 10_000;

export function createConformanceCommand(context: CliContext): Command {
  const command = createTargetCommand('conformance', summaries.conformance, '', false)
    .option('--client <command>', 'examine the client that this command starts; it receives the URL of a test server')
    .option('--scenario <names>', 'run only these scenarios, separated by commas; repeatable', parseNames)
    .option('--suite <name>', 'group of scenarios, such as active, all or auth (default: active; core for a client)')
    .option('--requirements <version>', 'run exactly the scenarios that this version of the protocol requires')
    .option('--baseline <file>', 'YAML file of scenarios that are expected to fail, in lists "server" and "client"')
    .option('--node <program>', 'Node 22 or later, which the suite needs (default: the Node of this command)')
    .option('--all', 'also print what is in order, and the scenarios that did not run')
    .option('--strict', 'end with 1 for warnings too')
    .option('--junit <file>', JUNIT_HELP);
  const timeout = 'maximum time of each scenario (default: that of the suite)';
  return withTargetOptions(command, { timeout, hasWire: false })
    .addHelpText('after', '\nThe suite is a package: npm install --save-dev @modelcontextprotocol/conformance@alpha')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon conformance https://example.com/mcp', 'the server at a URL'],
        ['tenon conformance -- node server.js', 'the server that a command starts, behind a bridge to HTTP'],
        ['tenon conformance server.ts --scenario tools-list', 'one scenario'],
        ['tenon conformance --client "node client.js"', 'a client'],
        ['tenon conformance server.ts --baseline known.yaml --junit out.xml', 'in continuous integration'],
      ]),
    )
    .action((words: string[], options: ConformanceCommandOptions) => runCommand(context, words, options));
}

async function runCommand(
  context: CliContext,
  words: readonly string[],
  options: ConformanceCommandOptions,
): Promise<void> {
  const { screen, env, cwd } = context;
  const { client, scenario: scenarios = [], suite: group, baseline, node = process.execPath, strict = false } = options;
  checkReportOptions(options);
  const expected =
    baseline === undefined ? { server: [], client: [] } : await readExpectedFailures(resolve(cwd, baseline));
  const hasTarget = context.serverCommand !== undefined || words.length > 0;
  if (!hasTarget && client === undefined)
    throw createUsageError('no target', 'pass a server, or the command of a client with --client');
  const target = hasTarget ? await resolveTarget(context, words, options) : undefined;
  const suite = findSuite(cwd, env);
  const { signal, release } = listenForInterrupt();
  const server = target && (await openServer(context, target, options));
  try {
    const report = await runConformance({
      suite,
      node,
      cwd,
      env,
      signal,
      expected,
      scenarios,
      group,
      client,
      strict,
      url: server?.url,
      label: server?.label ?? client ?? '',
      requirements: options.requirements,
      protocolVersion: options.protocolVersion,
      timeout: options.timeout,
      onScenario: name => screen.showStatus(`examining: ${name}`),
    });
    screen.showStatus('');
    const titles = Object.fromEntries(report.scenarios.map(name => [name, name]));
    await writeReport(context, report, options, {
      junit: () => formatJunit('tenon conformance', report, strict),
      text: () => formatFindings(report, { titles, all: options.all ?? false }, screen.style),
    });
    context.code = report.exit;
  } catch (error) {
    if (!signal.aborted) throw error;
    context.code = exitCodes.interrupted;
  } finally {
    screen.showStatus('');
    await server?.close();
    release();
  }
}

function resolveTarget(
  context: CliContext,
  words: readonly string[],
  options: ConformanceCommandOptions,
): Promise<ResolvedServer> {
  const reference = takeOnlyTarget(context, words);
  return resolveServer(context, reference, options);
}

/**
 * Returns a URL for the suite, which can neither start processes nor send tokens: other servers are served on loopback
 * behind a bridge.
 */
async function openServer(
  context: CliContext,
  { target, label }: ResolvedServer,
  options: ConformanceCommandOptions,
): Promise<ReachableServer> {
  const hasCredentials = options.auth !== undefined || options.bearerEnv !== undefined;
  if ('url' in target && target.headers === undefined && !hasCredentials) {
    await checkReachable(target.url);
    return { url: String(target.url), label, close: async () => {} };
  }
  const limits = { max: MAX_PROCESSES, idle: IDLE_TIMEOUT };
  // The report has the findings about the server.
  const silent = { onError: () => {}, onScreeningReport: () => {} };
  const host = await createServedHost(context, 'server', target, limits, silent);
  const state = await host.connectServer('server');
  if (state.state !== 'connected') {
    await host.close();
    throw createUnreachableError(label, state.reason ?? 'the server cannot be connected to');
  }
  const { endpoints, close } = await listenForTarget(context, host, { ...limits, port: 0, createAuth: () => ({}) });
  return {
    url: endpoints[0]?.url ?? '',
    label,
    close: async () => {
      await close();
      await host.close();
    },
  };
}

/** Rejects if no server listens at a URL. The suite would report that once per scenario. */
async function checkReachable(url: string | URL): Promise<void> {
  try {
    const { cancel } = await download(url, { redirect: 'manual', signal: AbortSignal.timeout(REACH_TIMEOUT) });
    await cancel();
  } catch (error) {
    throw createUnreachableError(String(url), error instanceof Error ? error.message : String(error));
  }
}

const createUnreachableError = (subject: string, reason: string): TenonError =>
  new TenonError('http/unreachable', `${subject}: ${reason}`, {
    hint: 'see the cause with `tenon doctor`',
  });
