import { stringifyJson } from '@tenon/base';
import { sanitizeText } from '@tenon/host';
import type { ReplayDifference, ReplayReport } from '@tenon/testing';
import { formatJunitReport } from '../reports/junit.js';

const MAX_VALUE = 200;

/** Formats the report of a replay as text. */
export function formatReport({ requests, compared, differences }: ReplayReport, file: string, label: string): string {
  const counts = `${requests} requests of ${file} sent to ${label}, ${compared} responses compared`;
  if (differences.length === 0) return `${counts}: no differences`;
  const shown = differences.map(
    each => `line ${each.line}: ${sanitizeText(each.request, { max: MAX_VALUE })}\n${formatDifference(each)}`,
  );
  return [...shown, `${counts}: ${differences.length} different`].join('\n\n');
}

function formatDifference({ summary, values }: ReplayDifference): string {
  const lines = values.map(({ path, recorded, received }) => {
    const difference = `${path}: recorded ${formatValue(recorded)}, received ${formatValue(received)}`;
    return `    ${sanitizeText(difference, { max: 3 * MAX_VALUE })}`;
  });
  return [`  ${sanitizeText(summary, { max: 2 * MAX_VALUE })}`, ...lines].join('\n');
}

function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = stringifyJson(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/** Formats the report as JUnit XML: one test case for each difference, and one for all equal responses. */
export function formatReportAsJunit({ compared, differences }: ReplayReport, file: string): string {
  // A difference without values has no response that was compared.
  const passed = compared - differences.filter(({ values }) => values.length > 0).length;
  return formatJunitReport(file, [
    ...(passed > 0 ? [{ group: 'replay', name: `${passed} equal responses` }] : []),
    ...differences.map(each => ({
      group: 'replay',
      name: `line ${each.line}: ${each.request}`,
      failure: { message: each.summary, details: formatDifference(each) },
    })),
  ]);
}
