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

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Escapes a text for XML. Removes characters that XML does not allow, and those that control a terminal or reorder its
 * text.
 */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd]|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"]/g, character => ENTITIES[character] ?? '');
}
