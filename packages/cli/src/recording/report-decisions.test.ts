import { allow, createPolicy, deny } from '@tenon/host';
import { parseRecording } from '@tenon/testing';
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
  const { calls, counts } = evaluateCalls(POLICY, RECORDING, { servers: [{ name: 'notes', trusted: true }] });
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

it('ignores the annotations of a server that the configuration does not trust [cli.explain]', () => {
  const [read] = evaluateCalls(POLICY, RECORDING, { servers: [] }).calls;
  expect(read).toMatchObject({ action: 'ask', rule: null, reason: expect.stringContaining('by default') });
});

const evaluate = (rule: string, params: object, setting: Partial<Parameters<typeof evaluateCalls>[2]> = {}) => {
  const recording = parseRecording(call(1, 'tools/call', params));
  const servers = [{ name: 'slow', tools: { overrides: { fast: { name: 'quick' } }, exclude: ['hidden'] } }];
  const policy = createPolicy([deny(rule), allow()]);
  return evaluateCalls(policy, recording, { servers, ...setting }).calls.map(
    ({ server, name, action, rule: number, reason }) => ({ server, name, action, rule: number, reason }),
  );
};

it('uses the names at the servers for rules, as a gateway does [cli.explain]', () => {
  const renamed = { server: 'slow', name: 'fast', action: 'deny', rule: 1 };
  expect(evaluate('slow/fast', { name: 'slow__quick' })).toMatchObject([renamed]);
  const hashed = 'slow__gr_e_hqak6bckwyt';
  const known = new Map([['slow', { tools: ['größe'], prompts: [] }]]);
  expect(evaluate('slow/größe', { name: hashed }, { known })).toMatchObject([
    { server: 'slow', name: 'größe', action: 'deny', rule: 1 },
  ]);
  expect(evaluate('slow/größe', { name: hashed })).toMatchObject([
    {
      server: 'slow',
      action: 'allow',
      reason: expect.stringContaining('The name at the server is not in the lock file'),
    },
  ]);
  expect(evaluate('slow/fast', { name: 'slow__hidden' })).toMatchObject([
    { action: 'deny', rule: null, reason: 'the configuration of the server "slow" disables it' },
  ]);
});

it('decides about the tool inside `call_tool` of a gateway with a budget [cli.explain]', () => {
  const params = { name: 'call_tool', arguments: { name: 'slow__big', arguments: { size: 1 } } };
  const inner = { server: 'slow', name: 'big', action: 'deny', rule: 1 };
  expect(evaluate('slow/big', params, { hasBudget: true })).toMatchObject([inner]);
  expect(evaluate('slow/big', { name: 'search_tools', arguments: { query: 'a' } }, { hasBudget: true })).toEqual([]);
  expect(evaluate('slow/big', params)).toMatchObject([{ server: 'notes', name: 'call_tool', action: 'allow' }]);
});
