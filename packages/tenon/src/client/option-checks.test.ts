import { LazyAbortSignal } from '@tenon/base';
import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { tool } from '../server/definitions/tool.js';
import { createServer } from '../server/server.js';
import { requireCallOptions, requireClientOptions, requireHttpTarget, requireStdioTarget } from './option-checks.js';

/** Passes arguments as JavaScript does, without types. */
const check = (require: (given: never) => void, given: object) => () => require(given as never);

describe('an option at the wrong place of connect', () => {
  it.each(['auth', 'headers', 'fetch', 'transport'])('leads %s from the options to the target of a URL', name => {
    expect(check(requireClientOptions, { [name]: 'a' })).toThrow(`write \`connect({ url, ${name} })\``);
  });

  it.each(['env', 'cwd', 'args', 'stderr'])('leads %s from the options to the target of a command', name => {
    expect(check(requireClientOptions, { [name]: 'a' })).toThrow(`write \`connect({ command, ${name} })\``);
  });

  it('leads options of the client from a target to the second argument', () => {
    const hint = 'write `connect(target, { elicit })`';
    expect(check(requireHttpTarget, { url: 'https://a.example/mcp', elicit() {} })).toThrow(hint);
    expect(check(requireStdioTarget, { command: 'node', elicit() {} })).toThrow(hint);
  });

  it('leads a handler of errors to the event of the client', () => {
    expect(check(requireClientOptions, { onError() {} })).toThrow(
      "Listen to the event of the client: client.on('error'",
    );
  });

  it('leads members of one kind of target to the other', () => {
    expect(check(requireHttpTarget, { url: 'https://a.example/mcp', env: {} })).toThrow('`connect({ command, env })`');
    expect(check(requireStdioTarget, { command: 'node', auth: 'a' })).toThrow('`connect({ url, auth })`');
  });
});

describe('the members of an option of connect', () => {
  it.each<[option: string, value: object]>([
    ['keepAlive/interval', { keepAlive: { interval: Number.NaN } }],
    ['keepAlive/intervall', { keepAlive: { intervall: 5 } }],
    ['completion/ttl', { completion: { ttl: '5' } }],
    ['completion/delay', { completion: { delay: 5 } }],
    ['clock/now', { clock: {} }],
  ])('are refused if they are invalid: %s', (option, options) => {
    expect(check(requireClientOptions, options)).toThrow(`options of connect: invalid \`${option}\``);
  });

  it.each<[member: string, value: object]>([
    ['resume/maxAttempts', { resume: { maxAttempts: '5' } }],
    ['listen/delay', { listen: { delay: 5 } }],
  ])('are refused in a target if they are invalid: %s', (member, target) => {
    expect(check(requireHttpTarget, { url: 'https://a.example/mcp', ...target })).toThrow(`invalid \`${member}\``);
  });

  it('are named with all accepted kinds of values', () => {
    expect(check(requireStdioTarget, { command: 'node', stderr: 'file' })).toThrow(
      'Expected one of pipe, inherit, ignore or a function, got a string',
    );
    expect(check(requireStdioTarget, { command: '' })).toThrow('invalid `command`. Expected a string with characters');
  });
});

describe('requireCallOptions', () => {
  const checkCall = (options: object) => () => requireCallOptions('tools/call', options);

  it('accepts the options of a call, with signals of the platform and of the library', () => {
    const { signal } = new AbortController();
    const all = {
      signal,
      idleTimeout: 0,
      totalTimeout: Number.POSITIVE_INFINITY,
      meta: {},
      onProgress() {},
      onTask() {},
    };
    for (const options of [{}, { signal: undefined, meta: undefined }, all, { ...all, signal: new LazyAbortSignal() }])
      expect(checkCall(options)).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['idleTimeout', Number.NaN],
    ['idleTimeout', -1],
    ['totalTimeout', '5'],
    ['signal', {}],
    ['signal', null],
    ['meta', 5],
    ['meta', []],
    ['onProgress', 5],
    ['onTask', {}],
    ['idempotent', 'yes'],
    ['resolveInputRequests', 0],
  ])('refuses %s: %j', (name, value) => {
    const issue = { code: 'options/invalid', message: expect.stringContaining(`invalid \`${name}`) };
    expect(checkCall({ [name]: value })).toThrow(expect.objectContaining(issue));
  });
});

describe('a message of the application', () => {
  const server = createServer({ name: 's', version: '1', tools: { a: tool({ run: () => 'a' }) } });

  it.each([
    ['a call without a method', 'the method of client.call', '{}'],
    ['a call whose params are a text', 'the params of client.call', '{ "method": "tools/list", "params": "x" }'],
    ['a call whose params are null', 'the params of client.call', '{ "method": "tools/list", "params": null }'],
    ['a notification without a method', 'the method of client.notify', '{}'],
    ['a completion without params', 'the params of client.complete', '{}'],
  ])('is refused before it is sent: %s', async (_, subject, text) => {
    const sent: unknown[] = [];
    const client = await connect(server, { onMessage: (_, message) => sent.push(message) });
    sent.length = 0;
    const { method, params } = JSON.parse(text);
    const calls = {
      call: () => client.call(method, params),
      notify: () => client.notify(method, params),
      complete: () => client.complete(params),
    };
    const [, name] = /client\.(call|notify|complete)/.exec(subject) ?? [];
    const [, call] = Object.entries(calls).find(([each]) => each === name) ?? [];
    await expect(call?.()).rejects.toMatchObject({
      code: 'options/invalid',
      message: expect.stringContaining(subject),
    });
    expect(sent).toEqual([]);
    await client.close();
  });
});

describe('the headers of a target', () => {
  it.each([{ 'x key': 'a' }, { 'x-key': 'a\nb' }, { 'x-key': '\u4e16' }, new Headers({ 'x-key': 'a' })])(
    'are refused if HTTP cannot send them: %j',
    headers => {
      const refusal = { code: 'connect/target', message: expect.stringContaining('invalid `headers') };
      expect(check(requireHttpTarget, { url: 'https://a.example/mcp', headers })).toThrow(
        expect.objectContaining(refusal),
      );
    },
  );
});

describe('a log level', () => {
  const server = createServer({ name: 's', version: '1', tools: { a: tool({ run: () => 'a' }) } });

  it.each(['2025-11-25', '2026-07-28'] as const)('is refused by setLogLevel on %s, and not used', async version => {
    const client = await connect(server, { protocolVersion: version });
    const invalid: { level: never } = JSON.parse('{ "level": "verbose" }');
    await expect(client.setLogLevel(invalid.level)).rejects.toMatchObject({ code: 'options/invalid' });
    expect((await client.callTool('a')).content).toMatchObject([{ text: 'a' }]);
    await client.close();
  });

  it('is refused by connect if the specification does not define it', () => {
    expect(check(requireClientOptions, { logLevel: 'verbose' })).toThrow('invalid `logLevel`');
    expect(check(requireClientOptions, { logLevel: 'warning' })).not.toThrow();
  });
});
