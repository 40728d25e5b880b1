import { expect, it } from 'vitest';
import { createFindingFactory, type DoctorReport } from './finding.js';
import { formatJunit } from './format-junit.js';

const { ok, warning, problem } = createFindingFactory('names');
const report: DoctorReport = {
  target: 'a "b"',
  server: null,
  protocolVersion: null,
  counts: { ok: 1, info: 0, warning: 1, problem: 1 },
  findings: [
    ok('valid', 'fine'),
    warning('alike', 'a < b'),
    problem('duplicate', 'x & y', { fix: 'rename\u0000\u001b[31m\u009b31m\u202e' }),
  ],
  skipped: [{ check: 'stdio', reason: 'the server is at a URL' }],
  exit: 1,
};

it('formats problems as failures, and escapes texts [cli.doctor]', () => {
  expect(formatJunit('tenon doctor', report, false)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="tenon doctor a &quot;b&quot;" tests="4" failures="1" errors="0" skipped="1">
        <testcase classname="names" name="names.valid">
          <system-out>fine</system-out>
        </testcase>
        <testcase classname="names" name="names.alike">
          <system-out>a &lt; b</system-out>
        </testcase>
        <testcase classname="names" name="names.duplicate">
          <failure message="x &amp; y">fix: rename[31m31m</failure>
        </testcase>
        <testcase classname="stdio" name="stdio">
          <skipped message="the server is at a URL"/>
        </testcase>
      </testsuite>
    </testsuites>
    "
  `);
  expect(formatJunit('tenon doctor', report, true)).toContain('failures="2"');
});
