import { allow, createPolicy, deny } from 'tenon/host';
import { parseRecording } from 'tenon/testing';
import { expect, it } from 'vitest';
import { evaluateCalls } from './report-decisions.js';

const META = { server: 'notes', ts: '' };
const call = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params, _meta: { dir: 'send', ...META } });
const tools = [
  { name: 'read', inputSchema: {}, annotations: { readOnlyHint: true } },
  { name: 'remove', inputSchema: {} },
];
const RECORDING = parseRecording(
  [
    call(1, 'tools/list', {}),
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools }, _meta: { dir: 'recv', ...META } }),
    call(2, 'tools/call', { name: 'read', arguments: { title: 'a' } }),
    call(3, 'tools/call', { name: 'remove', arguments: { title: 'b' } }),
    call(4, 'tools/call', { name: 'notes__remove' }),
    call(5, 'resources/read', { uri: 'note://a' }),
    call(6, 'prompts/get', { name: 'hello' }),
    call(7, 'ping', {}),
  ].join('\n'),
);
const POLICY = createPolicy([allow({ readOnly: true }), deny('notes/remove')]);

it('decides about each recorded call, and sends nothing [cli.explain]', () => {
  const { calls, counts } = evaluateCalls(POLICY, RECORDING, new Map([['notes', true]]));
  expect(
    calls.map(({ line, kind, server, name, action, rule }) => [line, kind, `${server}/${name}`, action, rule]),
  ).toEqual([
    [3, 'tool', 'notes/read', 'allow', 1],
    [4, 'tool', 'notes/remove', 'deny', 2],
    [5, 'tool', 'notes/remove', 'deny', 2],
    [6, 'resource', 'notes/note://a', 'ask', null],
    [7, 'prompt', 'notes/hello', 'ask', null],
  ]);
  expect(counts).toEqual({ allow: 1, ask: 2, deny: 2 });
});

it('does not trust the annotations of a server that the configuration does not trust [cli.explain]', () => {
  const [read] = evaluateCalls(POLICY, RECORDING, new Map()).calls;
  expect(read).toMatchObject({ action: 'ask', rule: null, reason: expect.stringContaining('by default') });
});
