import { expect, it } from 'vitest';
import { formatReport, formatReportAsJunit } from './format-report.js';
import { formatWireMessage } from './format-wire-message.js';
import { toServerName } from './wire-output.js';

const REPORT = {
  ok: false,
  requests: 3,
  compared: 3,
  differences: [
    {
      line: 7,
      method: 'tools/call',
      request: 'tools/call {"name":"<a>"}',
      summary: 'the response differs',
      values: [
        { path: '/result/n', recorded: 1, received: 'x\u001b[31m' },
        { path: '/result/m', recorded: [1] },
      ],
    },
  ],
};

it('formats each difference with its line, its path and both values [cli.replay]', () => {
  expect(formatReport(REPORT, 'a.ndjson', 'notes')).toBe(
    [
      'line 7: tools/call {"name":"<a>"}',
      '  the response differs',
      '    /result/n: recorded 1, received "x\\u001b[31m"',
      '    /result/m: recorded [1], received nothing',
      '',
      '3 requests of a.ndjson sent to notes, 3 responses compared: 1 different',
    ].join('\n'),
  );
  expect(formatReport({ ok: true, requests: 1, compared: 1, differences: [] }, 'a', 'b')).toContain('no differences');
});

it('formats the differences as JUnit XML [cli.replay]', () => {
  const xml = formatReportAsJunit(REPORT, 'a&b.ndjson');
  expect(xml).toContain('<testsuite name="a&amp;b.ndjson" tests="2" failures="1" errors="0" skipped="0">');
  expect(xml).toContain('name="line 7: tools/call {&quot;name&quot;:&quot;&lt;a&gt;&quot;}"');
  expect(xml).not.toContain('\u001b');
});

it('counts only equal responses as such in JUnit XML, and no request without a response [cli.replay]', () => {
  const silent = { line: 9, method: 'ping', request: 'ping', summary: 'no response within 30000 ms', values: [] };
  const report = { ok: false, requests: 4, compared: 2, differences: [...REPORT.differences, silent] };
  expect(formatReportAsJunit(report, 'a')).toContain('name="1 equal responses"');
});

it('formats a message of the protocol in one line without control characters [cli.revision]', () => {
  const params = { name: 'echo\u001b[31m' };
  expect(formatWireMessage('client', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toBe(
    '→ tools/call #1 {"name":"echo\\u001b[31m"}',
  );
  expect(formatWireMessage('server', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } })).toBe(
    '← #1 error {"code":-1,"message":"no"}',
  );
});

it.each([
  ['https://user.example.com:8443/mcp?key=1', 'user.example.com:8443'],
  ['C:\\servers\\notes.exe', 'notes.exe'],
  ['/a/b/server.py', 'server.py'],
  ['notes', 'notes'],
  ['!', 'server'],
])('names the server of %s', (label, name) => {
  expect(toServerName({ label, target: { command: 'node', args: [label, 'abc'] } })).toBe(name);
});

it.each([
  [['node', '--no-warnings', '/a/b/server.js', '--token', 'abc', '--key=def'], 'server.js'],
  [['/usr/bin/notes', '--token', 'abc'], 'notes'],
  [['node', '--import', '/a/loader.mjs', '/a/server.ts'], 'server.ts'],
  [['npx', '-y', 'some-server', 'abc'], 'npx'],
])('names the server of a command without its other arguments, which may be secrets: %j', (words, name) => {
  const [command = '', ...args] = words;
  expect(toServerName({ label: words.join(' '), target: { command, args } })).toBe(name);
});
