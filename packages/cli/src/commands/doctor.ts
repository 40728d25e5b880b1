import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { checks } from '../doctor/checks/index.js';
import { formatFindings } from '../doctor/format-findings.js';
import { formatJunit } from '../doctor/format-junit.js';
import { runDoctor } from '../doctor/run-doctor.js';
import { exitCodes } from '../exit-codes.js';
import { formatExamples } from '../options/create-command.js';
import { parseNames } from '../options/option-parsers.js';
import { checkReportOptions, JUNIT_HELP, writeReport } from '../reports/write-report.js';
import { summaries } from '../summaries.js';
import { getProtocolSettings, type ResolvedTarget, resolveTarget } from '../target/resolve-target.js';
import { listenForInterrupt, openWire } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { takeOnlyTarget } from '../target/target-reference.js';

interface DoctorCommandOptions extends TargetOptions {
  readonly only?: string[];
  readonly skip?: string[];
  readonly all?: boolean;
  readonly strict?: boolean;
  readonly junit?: string;
  readonly call?: string[];
  readonly allowCalls?: boolean;
}

export function createDoctorCommand(context: CliContext): Command {
  const command = createTargetCommand('doctor', summaries.doctor, '')
    .option('--only <checks>', 'run only these checks, separated by commas; repeatable', parseNames)
    .option('--skip <checks>', 'leave these checks out', parseNames)
    .option('--all', 'also print what is in order, and the checks that did not run')
    .option('--strict', 'end with 1 for warnings too')
    .option('--junit <file>', JUNIT_HELP)
    .option(
      '--call <call>',
      "call a tool, such as 'add(a: 1)', and check its result; repeatable",
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--allow-calls', 'call the tools that are read-only and need no arguments');
  const timeout = 'time to wait for each response (default: 10s)';
  return withTargetOptions(command, { timeout, defaultAuth: 'stored' })
    .addHelpText('after', `\nChecks:\n${checks.map(({ id, title }) => `  ${id.padEnd(14)}${title}`).join('\n')}`)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon doctor https://example.com/mcp', 'the server at a URL'],
        ['tenon doctor -- node server.js', 'the server that a command starts'],
        ['tenon doctor notes --only schemas,names', 'two checks of a server of ./mcp.json'],
        [`tenon doctor server.ts --call 'add(a: 1)'`, 'also check the result of a tool'],
        ['tenon doctor server.ts --strict --junit doctor.xml', 'in continuous integration'],
      ]),
    )
    .action(async (words: string[], options: DoctorCommandOptions) => {
      const reference = takeOnlyTarget(context, words);
      // A report about authorization is more useful than a sign-in that the user did not ask for.
      const target = await resolveTarget(context, reference, { ...options, auth: options.auth ?? 'stored' });
      await examine(context, target, options);
    });
}

async function examine(
  context: CliContext,
  target: ResolvedTarget,
  { only, skip, strict = false, call, ...options }: DoctorCommandOptions,
): Promise<void> {
  const { screen } = context;
  checkReportOptions(options);
  const { protocolVersion, ...settings } = getProtocolSettings(target, options);
  const wire = await openWire(context, target, options);
  const { signal, release } = listenForInterrupt();
  const interrupted = new Promise<undefined>(resolve => signal.addEventListener('abort', () => resolve(undefined)));
  const examined = runDoctor(target.target, target.label, {
    only,
    skip,
    strict,
    calls: call,
    allowCalls: options.allowCalls,
    authExceptions: { ...target.exceptions, ...options.authException },
    timeout: options.timeout,
    protocolVersion,
    settings,
    onMessage: wire?.onMessage,
    onStep: step => (signal.aborted ? undefined : screen.showStatus(`examining: ${step}`)),
  });
  // The end of this process also ends those that the doctor has started.
  const report = await Promise.race([examined, interrupted]).finally(() => {
    screen.showStatus('');
    wire?.close();
    release();
  });
  if (!report) {
    context.code = exitCodes.interrupted;
    return;
  }
  const titles = Object.fromEntries(checks.map(({ id, title }) => [id, title]));
  await writeReport(context, report, options, {
    junit: () => formatJunit('tenon doctor', report, strict),
    text: () => formatFindings(report, { titles, all: options.all ?? false }, screen.style),
  });
  context.code = report.exit;
}
