import { escapeXml } from '@tenon/base/writers';

/** Test case of a JUnit report. */
export interface JunitCase {
  readonly group: string;
  readonly name: string;
  /** Present if the case failed. */
  readonly failure?: { readonly message: string; readonly details: string };
  /** Reason why the case did not run. */
  readonly skipped?: string;
  readonly output?: string;
}

/** Formats a report of one suite as JUnit XML. */
export function formatJunitReport(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter(each => each.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${escapeXml(suite)}" ${counts}>`,
    ...cases.map(formatCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function formatCase({ group, name, failure, skipped, output }: JunitCase): string {
  const head = `    <testcase classname="${escapeXml(group)}" name="${escapeXml(name)}"`;
  const parts = [
    ...(failure ? [`<failure message="${escapeXml(failure.message)}">${escapeXml(failure.details)}</failure>`] : []),
    ...(skipped === undefined ? [] : [`<skipped message="${escapeXml(skipped)}"/>`]),
    ...(output === undefined ? [] : [`<system-out>${escapeXml(output)}</system-out>`]),
  ];
  if (parts.length === 0) return `${head}/>`;
  return [`${head}>`, ...parts.map(part => `      ${part}`), '    </testcase>'].join('\n');
}
