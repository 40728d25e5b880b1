import { sanitizeText } from '@tenon/host';
import type { Screen } from '../screen.js';
import { type DoctorReport, type Finding, type Severity, severities } from './finding.js';

export interface ReportFormat {
  /** Name of each check, by its id, in the order of the report. */
  readonly titles: Readonly<Record<string, string>>;
  /** Also prints what is in order, and the checks that did not run. */
  readonly all: boolean;
}

const MAX_TEXT = 500;
const LABELS: Readonly<Record<Severity, string>> = { problem: 'problem', warning: 'warning', info: 'info', ok: 'ok' };
const COUNTED: Readonly<Record<Severity, readonly [one: string, many: string]>> = {
  problem: ['problem', 'problems'],
  warning: ['warning', 'warnings'],
  info: ['info', 'info'],
  ok: ['ok', 'ok'],
};

/** Formats a report for a terminal: the server, the counts, and the findings by check. */
export function formatFindings(report: DoctorReport, { titles, all }: ReportFormat, style: Screen['style']): string {
  const { target, server, protocolVersion, counts, findings, skipped } = report;
  const title = server ? `${sanitize(server.name)} ${sanitize(server.version)}` : sanitize(target);
  const head = [
    style('bold', title),
    ...(protocolVersion === null ? [] : [`protocol ${protocolVersion}`]),
    ...(server ? [style('dim', sanitize(target))] : []),
  ].join('  ');
  const shown = all ? findings : findings.filter(({ severity }) => severity !== 'ok');
  const groups = Object.entries(titles).flatMap(([id, name]) => {
    const findingsOfCheck = shown.filter(finding => getCheckId(finding) === id);
    return findingsOfCheck.length === 0
      ? []
      : [
          [
            style('bold', sanitize(name)),
            ...findingsOfCheck.toSorted(compare).flatMap(each => format(each, style)),
          ].join('\n'),
        ];
  });
  const passed = Object.entries(titles).filter(([id]) => {
    const findingsOfCheck = findings.filter(finding => getCheckId(finding) === id);
    return findingsOfCheck.length > 0 && findingsOfCheck.every(({ severity }) => severity === 'ok');
  });
  const ends = [
    ...(passed.length > 0 && !all
      ? [`In order: ${passed.map(([, name]) => sanitize(name.toLowerCase())).join(', ')}`]
      : []),
    ...(skipped.length > 0 && all ? [`Not examined: ${listSkipped(report)}`] : []),
  ];
  return [
    `${head}\n${formatCounts(counts)}`,
    ...groups,
    ...(ends.length > 0 ? [style('dim', ends.join('\n'))] : []),
  ].join('\n\n');
}

function formatCounts(counts: DoctorReport['counts']): string {
  return severities
    .toReversed()
    .map(severity => `${counts[severity]} ${COUNTED[severity][counts[severity] === 1 ? 0 : 1]}`)
    .join(', ');
}

function format({ id, severity, title, seen, cause, fix, spec }: Finding, style: Screen['style']): string[] {
  const lines = Object.entries({ seen, cause, fix, see: spec }).flatMap(([label, text]) =>
    text === undefined ? [] : [`             ${`${label}:`.padEnd(7)}${sanitize(text)}`],
  );
  const head = `  ${style(severity === 'problem' ? 'bold' : 'dim', LABELS[severity].padEnd(9))}${sanitize(title)}`;
  return [`${head}  ${style('dim', `(${sanitize(id)})`)}`, ...(severity === 'ok' ? lines.slice(0, 1) : lines)];
}

/** Lists the skipped checks by reason. */
function listSkipped({ skipped }: DoctorReport): string {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))];
  return reasons
    .map(
      reason =>
        `${skipped
          .filter(each => each.reason === reason)
          .map(({ check }) => check)
          .join(', ')} (${reason})`,
    )
    .join('; ');
}

const getCheckId = ({ id }: Finding): string => id.split('.')[0] ?? '';
const compare = (a: Finding, b: Finding): number => severities.indexOf(b.severity) - severities.indexOf(a.severity);
const sanitize = (text: string): string => sanitizeText(text, { max: MAX_TEXT });
