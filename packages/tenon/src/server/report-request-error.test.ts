import { TenonError, toReportedError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tasks } from '../extensions/tasks/tasks.js';
import { describeClient } from '../protocol/describe-client.js';
import { resource } from './definitions/resource.js';
import { tool } from './definitions/tool.js';
import { createServer } from './server.js';

const fail = (): never => {
  throw new Error('broken');
};
const failKnown = (): never => {
  throw new TenonError('app/full', 'no place left');
};

async function start(protocolVersion: string) {
  const errors: TenonError[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    onError: error => void errors.push(error),
    extensions: [tasks()],
    tools: {
      fail: { run: fail },
      known: { run: failKnown },
      bad: { run: () => ({ a: 1n }) },
      block: { run: () => [{ type: 'txt', text: 'a' }] as never },
      job: tool({ task: 'optional', run: async () => failKnown() }),
    },
    prompts: { p: { run: fail } },
    resources: {
      'note://a': resource({ read: failKnown }),
      'part://{id}': resource({ list: () => [{ id: '../a' }], read: () => 'a' }),
    },
    methods: { 'x/y': { run: failKnown } },
    onRootsChanged: fail,
  });
  const client = await connectPair(server, {
    protocolVersion,
    name: 'app',
    version: '2',
    roots: () => [],
  });
  return { client, errors };
}

describe('the report of an error in a handler', () => {
  it.each(protocolVersions)('names the client, the protocol version and the method: %s', async protocolVersion => {
    const { client, errors } = await start(protocolVersion);
    const ignore = () => undefined;
    const requests: [method: string, code: string, send: () => PromiseLike<unknown>][] = [
      ['tools/call fail', 'tool/threw', () => client.callTool('fail')],
      ['tools/call known', 'app/full', () => client.callTool('known')],
      ['tools/call bad', 'handler/output', () => client.callTool('bad')],
      ['tools/call', 'handler/content', () => client.callTool('block')],
      ['tools/call job', 'app/full', () => client.callTool('job')],
      ['prompts/get', 'handler/threw', () => client.getPrompt('p')],
      ['resources/read', 'app/full', () => client.readResource('note://a')],
      ['resources/list', 'resource/unreadable', () => client.call('resources/list')],
      ['x/y', 'app/full', () => client.call('x/y')],
    ];
    const peer = expect.stringMatching(new RegExp(`^app 2 \\(${protocolVersion}(, [^)]+)?\\)$`));
    for (const [method, code, send] of requests) {
      errors.length = 0;
      await Promise.resolve().then(send).catch(ignore);
      expect(errors.map(error => ({ method: error.method, code: error.code, peer: error.peer }))).toEqual([
        { method, code, peer },
      ]);
      expect(errors[0]?.message).toContain(`(${protocolVersion}`);
    }
    await client.close();
  });
});

describe('toReportedError', () => {
  it('keeps the peer and the method that an error names', () => {
    const error = new TenonError('a/b', 'text', { peer: 'other', method: 'm' });
    expect(toReportedError(error, 'c/d', { peer: 'app', method: 'n' })).toBe(error);
  });

  it('keeps code, cause and other details of an error that names no peer', () => {
    const cause = new Error('cause');
    const error = new TenonError('a/b', 'text', { cause, hint: 'wait', status: 503, retryAfterMs: 5, data: { a: 1 } });
    const named = toReportedError(error, 'c/d', { peer: 'app', method: 'n' });
    expect(named).toMatchObject({
      code: 'a/b',
      peer: 'app',
      method: 'n',
      status: 503,
      retryAfterMs: 5,
      data: { a: 1 },
    });
    expect([named.message, named.cause, named.stack]).toEqual(['app, n: text. Wait.', cause, error.stack]);
  });
});

describe('describeClient', () => {
  it.each([
    [{ client: { name: 'app', version: '2' }, address: '192.0.2.7' }, 'app 2 (r, 192.0.2.7)'],
    [{ client: undefined }, 'client (r)'],
    [{ client: { name: 'a\nb\u202e', version: 'x'.repeat(500) } }, `a\\u{A}b\\u{202E} ${'x'.repeat(100)}… (r)`],
    [{ client: { name: 5, version: null } as never }, 'client (r)'],
  ])('writes %j on one short line', (caller, text) => {
    expect(describeClient(caller, 'r')).toBe(text);
  });
});
