import { protocolVersions } from 'tenon';
import { type ExitCode, exitCodes } from '../exit-codes.js';

/** Severities, from harmless to serious. Only a `problem` fails the command, and with `--strict` a `warning` too. */
export const severities = ['ok', 'info', 'warning', 'problem'] as const;

export type Severity = (typeof severities)[number];

/** Result of one examination. */
export interface Finding {
  /** Stable id: `check.subject`. */
  readonly id: string;
  readonly severity: Severity;
  /** Statement in one line. */
  readonly title: string;
  /** Observation: statuses, headers, names, numbers. */
  readonly seen?: string;
  /** Reason or consequence. */
  readonly cause?: string;
  /** Next step for the author or operator of the server. */
  readonly fix?: string;
  /** Page of the specification. */
  readonly spec?: string;
  /** Code of the JSON-RPC error, if the server has responded with one. */
  readonly rpcCode?: number | undefined;
  /** Data of the JSON-RPC error, as the server has sent it. */
  readonly data?: unknown;
}

/** Check that did not run. */
export interface SkippedCheck {
  readonly check: string;
  readonly reason: string;
}

/** Report of `tenon doctor`, as `--json` prints it. */
export interface DoctorReport {
  /** URL, name or command of the examined server. */
  readonly target: string;
  readonly server: { readonly name: string; readonly version: string } | null;
  /** Negotiated protocol version. `null` without a connection. */
  readonly protocolVersion: string | null;
  readonly counts: Readonly<Record<Severity, number>>;
  readonly findings: readonly Finding[];
  readonly skipped: readonly SkippedCheck[];
  /** Exit code of the process. */
  readonly exit: ExitCode;
}

type FindingDetails = Omit<Finding, 'id' | 'severity' | 'title'>;
type AddFinding = (subject: string, title: string, details?: FindingDetails) => Finding;

/** Creates findings of one check, by severity. */
export type FindingFactory = Readonly<Record<Severity, AddFinding>>;

export function createFindingFactory(check: string): FindingFactory {
  const create =
    (severity: Severity): AddFinding =>
    (subject, title, details = {}) => ({ id: `${check}.${subject}`, severity, title, ...details });
  return { ok: create('ok'), info: create('info'), warning: create('warning'), problem: create('problem') };
}

/** Counts findings by severity. */
export function countFindings(findings: readonly Finding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { ok: 0, info: 0, warning: 0, problem: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** Returns the exit code of a report. `failure` is the one of a connection that could not be made. */
export function getReportExit(
  { problem, warning }: Readonly<Record<Severity, number>>,
  { strict, failure }: { readonly strict: boolean; readonly failure?: ExitCode | undefined },
): ExitCode {
  if (failure !== undefined && failure !== exitCodes.success) return failure;
  return problem > 0 || (strict && warning > 0) ? exitCodes.failure : exitCodes.success;
}

/** Returns the URL of a page of the specification, in the newest version or in the given one. */
export function getSpecificationPage(path: string, version: string = protocolVersions[0] ?? ''): string {
  return `https://modelcontextprotocol.io/specification/${version}/${path}`;
}
