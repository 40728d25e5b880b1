import { formatJunitReport, type JunitCase } from '../reports/junit.js';
import type { DoctorReport, Finding } from './finding.js';

/** Formats a report as JUnit XML. Problems are failures, and with `strict` warnings too. */
export function formatJunit(suite: string, { target, findings, skipped }: DoctorReport, strict: boolean): string {
  return formatJunitReport(`${suite} ${target}`, [
    ...findings.map(finding => createCase(finding, strict)),
    ...skipped.map(({ check, reason }) => ({ group: check, name: check, skipped: reason })),
  ]);
}

function createCase(finding: Finding, strict: boolean): JunitCase {
  const { id, severity, title } = finding;
  const [group = ''] = id.split('.');
  const details = formatDetails(finding);
  const isFailure = severity === 'problem' || (strict && severity === 'warning');
  if (isFailure) return { group, name: id, failure: { message: title, details } };
  return { group, name: id, output: [title, details].filter(Boolean).join('\n') };
}

const formatDetails = ({ seen, cause, fix, spec }: Finding): string =>
  Object.entries({ seen, cause, fix, see: spec })
    .flatMap(([label, text]) => (text === undefined ? [] : [`${label}: ${text}`]))
    .join('\n');
