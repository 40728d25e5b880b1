import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge, protocolVersions, schemaFolder, schemasPresent } from './official-schema.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });
const answer = (result: object) => ({ jsonrpc: '2.0', id: 1, result });
const error = (code: number, data?: unknown) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'no', data } });
const toTool = { from: 'server', answers: { method: 'tools/call' } } as const;

/** Its example lacks `ttlMs` and `cacheScope`, and passes only as an InputRequiredResult with a foreign member. */
const unlisted = new Set(['ReadResourceResultResponse']);

describe.skipIf(!schemasPresent)('the validator of messages', () => {
  describe('accepts the official examples', () => {
    const folder = join(schemaFolder, 'examples/2026-07-28');
    const [newest, exact] = schemasPresent ? [judge('2026-07-28'), judge('2026-07-28', { exact: true })] : [];
    for (const type of schemasPresent ? readdirSync(folder) : []) {
      for (const file of readdirSync(join(folder, type))) {
        it(`${type}: ${file}`, () => {
          const example = JSON.parse(readFileSync(join(folder, type, file), 'utf8'));
          expect(newest?.type(type, example)).toEqual([]);
          if (!unlisted.has(type)) expect(exact?.type(type, example)).toEqual([]);
        });
      }
    }
  });

  it.each(protocolVersions)('has the types of %s', version => {
    const { message } = judge(version);
    const params = version === '2026-07-28' ? { _meta: meta } : {};
    expect(message(call('tools/list', params), { from: 'client' })).toEqual([]);
    expect(message(call('tools/call', { ...params, name: 1 }), { from: 'client' })).not.toEqual([]);
    expect(message(call('tools/list', params), { from: 'server' })).not.toEqual([]);
    expect(message(call('tools/nothing', params), { from: 'client' })).not.toEqual([]);
    expect(message({ ...call('tools/list', params), jsonrpc: '1.0' }, { from: 'client' })).not.toEqual([]);
    expect(message({ ...call('tools/list', params), id: null }, { from: 'client' })).not.toEqual([]);
    expect(message({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }, { from: 'server' })).not.toEqual(
      [],
    );
    expect(message('text', { from: 'client' })).not.toEqual([]);
  });

  it.each(protocolVersions)('types a result by the request that it answers, on %s', version => {
    const { message } = judge(version);
    const kind = version === '2026-07-28' ? { resultType: 'complete' } : {};
    expect(message(answer({ ...kind, content: [] }), toTool)).toEqual([]);
    expect(message(answer({ ...kind, content: [{ type: 'text' }] }), toTool)).not.toEqual([]);
    expect(message(answer({ ...kind, content: [] }), { from: 'server' })).not.toEqual([]);
  });

  it('detects content that a protocol version does not have', () => {
    const audio = answer({ content: [{ type: 'audio', data: 'aaaa', mimeType: 'audio/wav' }] });
    expect(judge('2024-11-05').message(audio, toTool)).not.toEqual([]);
    expect(judge('2025-03-26').message(audio, toTool)).toEqual([]);
  });

  it('detects members that a protocol version does not have in exact mode', () => {
    const titled = answer({ tools: [{ name: 'a', title: 'A', inputSchema: { type: 'object', title: 'free' } }] });
    const context = { from: 'server', answers: { method: 'tools/list' } } as const;
    expect(judge('2025-03-26').message(titled, context)).toEqual([]);
    expect(judge('2025-03-26', { exact: true }).message(titled, context)).not.toEqual([]);
    expect(judge('2025-06-18', { exact: true }).message(titled, context)).toEqual([]);
  });

  it.each(protocolVersions)('accepts well-formed messages of %s in exact mode', version => {
    const { message } = judge(version, { exact: true });
    const params = { name: 'a', arguments: { b: { c: 1 } }, _meta: { progressToken: 1, ...meta } };
    expect(message(call('tools/call', params), { from: 'client' })).toEqual([]);
    const kind = version === '2026-07-28' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
    const read = answer({ ...kind, contents: [{ uri: 'a://b', text: 'c' }], _meta: { d: 1 } });
    expect(message(read, { from: 'server', answers: { method: 'resources/read' } })).toEqual([]);
  });

  it('allows no request from the server on 2026-07-28', () => {
    const ping = call('ping');
    expect(judge('2025-11-25').message(ping, { from: 'server' })).toEqual([]);
    expect(judge('2026-07-28').message(ping, { from: 'server' }).join()).toContain('sends no requests');
  });

  it('reads a result of 2026-07-28 by its resultType', () => {
    const { message } = judge('2026-07-28');
    expect(message(answer({ content: [] }), toTool)).not.toEqual([]);
    expect(message(answer({ resultType: 'complete' }), toTool)).not.toEqual([]);
    expect(message(answer({ resultType: 'input_required', requestState: 'x' }), toTool)).toEqual([]);
    expect(message(answer({ resultType: 'input_required' }), toTool)).not.toEqual([]);
    expect(message(answer({ resultType: 'task', taskId: 'a' }), toTool)).toEqual([]);
    const toList = { from: 'server', answers: { method: 'tools/list' } } as const;
    expect(message(answer({ resultType: 'input_required', requestState: 'x' }), toList)).not.toEqual([]);
  });

  it('reads the response to a task-augmented request of 2025-11-25 as a task', () => {
    const { message } = judge('2025-11-25');
    const asTask = { from: 'server', answers: { method: 'tools/call', params: { task: {} } } } as const;
    expect(message(answer({ content: [] }), asTask)).not.toEqual([]);
  });

  it('selects the type of an error by its code', () => {
    const newest = judge('2026-07-28');
    expect(newest.message(error(-32022, { supported: ['2026-07-28'], requested: 'x' }), toTool)).toEqual([]);
    expect(newest.message(error(-32022), toTool)).not.toEqual([]);
    expect(newest.message(error(-32021, { requiredCapabilities: ['sampling'] }), toTool)).not.toEqual([]);
    expect(judge('2025-11-25').message(error(-32042), toTool)).not.toEqual([]);
    expect(judge('2025-11-25').message(error(-32602), toTool)).toEqual([]);
    expect(newest.message({ jsonrpc: '2.0', id: 1, error: { code: 1.5, message: 'no' } }, toTool)).not.toEqual([]);
  });

  it('allows the response to an unreadable message without an id', () => {
    const nameless = { jsonrpc: '2.0', error: { code: -32700, message: 'no' } };
    const refused = { ...nameless, error: { code: -32602, message: 'no' } };
    for (const version of protocolVersions) expect(judge(version).message(nameless, { from: 'server' })).toEqual([]);
    expect(judge('2025-06-18').message({ ...nameless, id: null }, { from: 'server' })).toEqual([]);
    expect(judge('2025-06-18').message(refused, { from: 'server' })).not.toEqual([]);
    expect(judge('2025-11-25').message({ ...nameless, id: null }, { from: 'server' })).not.toEqual([]);
  });

  it('accepts batches on 2025-03-26 only', () => {
    const list = call('tools/list');
    expect(judge('2025-03-26').batch([list, { ...list, id: 2 }])).toEqual([]);
    expect(judge('2025-03-26').batch([])).not.toEqual([]);
    expect(judge('2025-03-26').batch([list, answer({})])).not.toEqual([]);
    expect(judge('2025-03-26').batch([call('initialize')])).not.toEqual([]);
    for (const version of protocolVersions.filter(each => each !== '2025-03-26')) {
      expect(judge(version).batch([list])).not.toEqual([]);
    }
  });

  it('follows schema.ts where the JSON Schema file has integer instead of number', () => {
    const form = { action: 'accept', content: { score: 1.5 } };
    expect(judge('2025-06-18').type('ElicitResult', form)).toEqual([]);
    expect(judge('2025-11-25').type('ElicitResult', form)).toEqual([]);
    expect(judge('2026-07-28').type('ElicitResult', form)).toEqual([]);
    expect(judge('2026-07-28').type('JSONValue', { a: [null, 1.5] })).toEqual([]);
    expect(judge('2025-11-25').type('ElicitResult', { action: 'accept', content: { a: {} } })).not.toEqual([]);
  });
});
