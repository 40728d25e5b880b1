import type { TenonError } from 'tenon';
import { describeError } from '../error-hints.js';
import { type ExitCode, getExitCode } from '../exit-codes.js';
import { createUsageError } from '../usage-error.js';
import type { Check, DoctorContext, DoctorTarget } from './check.js';
import { checks } from './checks/index.js';
import { createDoctorContext, type ExaminationOptions } from './create-context.js';
import {
  countFindings,
  createFindingFactory,
  type DoctorReport,
  type Finding,
  getReportExit,
  type SkippedCheck,
} from './finding.js';

export interface DoctorOptions extends ExaminationOptions {
  /** Ids of the checks to run. */
  readonly only?: readonly string[] | undefined;
  /** Ids of the checks to leave out. */
  readonly skip?: readonly string[] | undefined;
  /**
   * Warnings fail the command too.
   * @default `false`
   */
  readonly strict?: boolean | undefined;
}

/** Examines a server, and reports the findings. Rejects only for invalid options. */
export async function runDoctor(
  target: DoctorTarget,
  label: string,
  options: DoctorOptions = {},
): Promise<DoctorReport> {
  const selected = selectChecks(options);
  const { context, close } = await createDoctorContext(target, options);
  const findings: Finding[] = [];
  const skipped: SkippedCheck[] = [];
  const run = async (check: Check) => {
    const reason = getSkipReason(check, context);
    if (reason !== undefined) return void skipped.push({ check: check.id, reason });
    options.onStep?.(check.title.toLowerCase());
    findings.push(...(await runCheck(check, context)));
  };
  // The process of a server is observed until its end, so its check runs last.
  for (const check of selected) if (check.requires !== 'stdio') await run(check);
  await close();
  for (const check of selected) if (check.requires === 'stdio') await run(check);
  const counts = countFindings(findings);
  const { info: server, protocolVersion } = context.connection?.client.server ?? {};
  return {
    target: label,
    server: server ? { name: server.name, version: server.version } : null,
    protocolVersion: protocolVersion ?? null,
    counts,
    findings,
    skipped,
    exit: getReportExit(counts, { strict: options.strict ?? false, failure: getFailure(context.error) }),
  };
}

const getFailure = (error: TenonError | undefined): ExitCode | undefined => error && getExitCode(error);

function selectChecks({ only, skip = [] }: DoctorOptions): readonly Check[] {
  const known = checks.map(({ id }) => id);
  const unknown = [...(only ?? []), ...skip].filter(id => !known.includes(id));
  if (unknown.length > 0) throw createUsageError(`unknown check: ${unknown.join(', ')}`, `use ${known.join(', ')}`);
  return checks.filter(({ id }) => (only === undefined || only.includes(id)) && !skip.includes(id));
}

function getSkipReason(
  { requires }: Check,
  { url, stdio, connection, calls, allowCalls }: DoctorContext,
): string | undefined {
  if (requires === 'http' && !url) return 'the server has no URL';
  if (requires === 'stdio' && !stdio) return 'no process is started';
  if (requires === 'calls' && calls.length === 0 && !allowCalls) return 'calls need --call or --allow-calls';
  if ((requires === 'connection' || requires === 'calls') && !connection) return 'there is no connection';
  return undefined;
}

/** Runs one check. A check that fails is a finding, because servers may answer in any way. */
async function runCheck(check: Check, context: DoctorContext): Promise<readonly Finding[]> {
  const findings = createFindingFactory(check.id);
  try {
    return await check.run(context, findings);
  } catch (thrown) {
    if (isUsageError(thrown)) throw thrown;
    // Without a connection, the finding of the connection names the cause.
    if (context.error) return [];
    return [
      findings.warning('incomplete', `${check.title}: the examination could not be completed`, {
        seen: describeError(thrown),
        fix: 'run the command again, and report a problem that remains',
      }),
    ];
  }
}

const isUsageError = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'cli/usage';
