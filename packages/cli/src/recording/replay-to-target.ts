import type { Recording, ReplayReport } from '@tenon/testing';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { checkReportOptions, writeReport } from '../reports/write-report.js';
import { resolveServer } from '../target/resolve-target.js';
import type { ConnectionOptions } from '../target/target-options.js';
import type { TargetReference } from '../target/target-reference.js';
import { formatReport, formatReportAsJunit } from './format-report.js';
import { noteFaults } from './note-faults.js';

export interface ReplayToTargetOptions extends ConnectionOptions {
  readonly file: string;
  readonly server?: string;
  readonly ignore?: readonly string[];
  readonly timeout?: number;
  readonly junit?: string;
  readonly json?: boolean;
}

/** Sends the recorded requests to a server, and reports the responses that differ. */
export async function replayToTarget(
  context: CliContext,
  recording: Recording,
  reference: TargetReference,
  options: ReplayToTargetOptions,
): Promise<void> {
  checkReportOptions(options);
  const { file, server, ignore, timeout } = options;
  noteFaults(context.screen, file, recording, server);
  const { target, label } = await resolveServer(context, reference, options);
  const [{ openTransport }, { replayToServer }] = await Promise.all([import('tenon/node'), import('@tenon/testing')]);
  const report: ReplayReport = await replayToServer(recording, () => openTransport(target), {
    server,
    ignore,
    timeout,
  });
  await writeReport(context, report, options, {
    junit: () => formatReportAsJunit(report, file),
    text: () => formatReport(report, file, label),
  });
  for (const path of report.unmatchedIgnores ?? [])
    context.screen.note(`--ignore ${path}: no response has such a value`, 'warning');
  context.code = report.ok ? exitCodes.success : exitCodes.failure;
}
