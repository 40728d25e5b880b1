import type { DoctorReport, Finding } from './finding.js';

/** Formats a report as JUnit XML. Problems are failures, and with `strict` warnings too. */
export function formatJunit(suite: string, { target, findings, skipped }: DoctorReport, strict: boolean): string {
  const isFailure = ({ severity }: Finding) => severity === 'problem' || (strict && severity === 'warning');
  const cases = [
    ...findings.map(finding => formatCase(finding, isFailure(finding))),
    ...skipped.map(({ check, reason }) =>
      [
        `    <testcase classname="${escapeXml(check)}" name="${escapeXml(check)}">`,
        `      <skipped message="${escapeXml(reason)}"/>`,
        '    </testcase>',
      ].join('\n'),
    ),
  ];
  const failures = findings.filter(isFailure).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${escapeXml(`${suite} ${target}`)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped.length}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function formatCase(finding: Finding, isFailure: boolean): string {
  const { id, title } = finding;
  const [check = ''] = id.split('.');
  const head = `    <testcase classname="${escapeXml(check)}" name="${escapeXml(id)}"`;
  const details = formatDetails(finding);
  if (isFailure)
    return [
      `${head}>`,
      `      <failure message="${escapeXml(title)}">${escapeXml(details)}</failure>`,
      '    </testcase>',
    ].join('\n');
  const output = [title, details].filter(Boolean).join('\n');
  return [`${head}>`, `      <system-out>${escapeXml(output)}</system-out>`, '    </testcase>'].join('\n');
}

const formatDetails = ({ seen, cause, fix, spec }: Finding): string =>
  Object.entries({ seen, cause, fix, see: spec })
    .flatMap(([label, text]) => (text === undefined ? [] : [`${label}: ${text}`]))
    .join('\n');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for XML, and removes characters that XML does not allow. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '')
    .replace(/[&<>"]/g, character => ENTITIES[character] ?? '');
}
