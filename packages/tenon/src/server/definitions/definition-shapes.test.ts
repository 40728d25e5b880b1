import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { protect } from '../../auth/resource/protect.js';
import { tasks } from '../../extensions/tasks/tasks.js';
import { createHandler } from '../../http.js';
import { connect } from '../../index.node.js';
import { serveHttp } from '../../runtimes/node/http/http-server.js';
import { serveStdio } from '../../runtimes/node/stdio/stdio-server.js';
import { caching } from '../middleware/caching.js';
import { logging } from '../middleware/logging.js';
import { rateLimit } from '../middleware/rate-limit.js';
import { resultSizeLimit } from '../middleware/result-size-limit.js';
import { timeout } from '../middleware/timeout.js';
import { createServer } from '../server.js';
import { prompt } from './prompt.js';
import { resource } from './resource.js';
import { tool } from './tool.js';

const about = { name: 's', version: '1' };
const run = () => 'x';
const read = run;

/** Gives a value to a function whose type forbids it, as JavaScript does. */
const loosely = (make: (value: never) => unknown, value: unknown): unknown => make(value as never);

async function refusal(make: () => unknown): Promise<TenonError> {
  try {
    await make();
  } catch (error) {
    if (TenonError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const server = (value: unknown) => loosely(createServer, value);
const withTool = (value: unknown) => server({ ...about, tools: { t: loosely(tool, value) } });
const withPrompt = (value: unknown) => server({ ...about, prompts: { p: loosely(prompt, value) } });
const withResource = (value: unknown) => server({ ...about, resources: { 'a:b': loosely(resource, value) } });
const target = (value: unknown, options?: unknown) => connect(value as never, options as never);

describe('createServer() with an unfit definition', () => {
  it.each<[name: string, make: () => unknown, code: string, says: string[]]>([
    ['createServer()', () => server(undefined), 'server/definition', ['{ name, version', 'got nothing']],
    ['no name', () => server({ version: '1' }), 'server/definition', ['`name`', 'a string', 'nothing']],
    ['no version', () => server({ name: 's' }), 'server/definition', ['`version`']],
    [
      'a misspelt key',
      () => server({ ...about, instuctions: 'x' }),
      'server/definition',
      ['"instuctions"', 'Did you mean "instructions"?'],
    ],
    [
      'the key of another library',
      () => server({ ...about, middleware: [] }),
      'server/definition',
      ['Did you mean "use"?'],
    ],
    ['a key of nobody', () => server({ ...about, zzzzzz: 1 }), 'server/definition', ['"zzzzzz"']],
    [
      '`use` that is no list',
      () => server({ ...about, use: run }),
      'server/definition',
      ['`use`', 'an array', 'a function'],
    ],
    [
      '`use` with no function in it',
      () => server({ ...about, use: [run, {}] }),
      'server/definition',
      ['`use/1`', 'a function'],
    ],
    [
      'an icon without `src`',
      () => server({ ...about, icons: [{ url: 'x' }] }),
      'server/definition',
      ['`icons/0/src`'],
    ],
    [
      'an icon of a tool whose sizes are a text',
      () => withTool({ run, icons: [{ src: 'x', sizes: '48x48' }] }),
      'tool/definition',
      ['`icons/0/sizes`', 'an array'],
    ],
    [
      'a hint that is no boolean',
      () => withTool({ run, annotations: { readOnlyHint: 'yes' } }),
      'tool/definition',
      ['`annotations/readOnlyHint`', 'true or false'],
    ],
    [
      'annotations in a promise',
      () => withTool({ run, annotations: Promise.resolve({}) }),
      'tool/definition',
      ['`annotations`', 'got a promise'],
    ],
    [
      'a priority above 1',
      () => withResource({ read, annotations: { priority: 5 } }),
      'resource/definition',
      ['`annotations/priority`', 'from 0 to 1'],
    ],
    [
      'an audience of nobody',
      () => withResource({ read, annotations: { audience: ['robot'] } }),
      'resource/definition',
      ['`annotations/audience/0`', 'user, assistant'],
    ],
    ['tools in a list', () => server({ ...about, tools: [] }), 'server/definition', ['`tools`', 'an array']],
    [
      'tools in a promise',
      () => server({ ...about, tools: Promise.resolve({}) }),
      'server/definition',
      ['`tools`', 'got a promise'],
    ],
    ...['tools', 'prompts', 'resources', 'methods', 'experimental'].flatMap(key => {
      class Private {
        readonly #value = 1;
        get value() {
          return this.#value;
        }
      }
      return [new Map([['a', {}]]), new Set(['a']), new Private(), new Error('no')].map(
        (value): [string, () => unknown, string, string[]] => [
          `${key} in a ${value.constructor.name}`,
          () => server({ ...about, [key]: value }),
          'server/definition',
          [`\`${key}\``, `got a ${value.constructor.name}`],
        ],
      );
    }),
    ['a page of nothing', () => server({ ...about, pageSize: 0 }), 'server/definition', ['`pageSize`', 'got 0']],
    ...[
      ['cache/ttlMs', { ttlMs: Number.POSITIVE_INFINITY }, 'got Infinity'],
      ['cache/ttlMs', { ttlMs: 0.5 }, 'got 0.5'],
      ['cache/cacheScope', { cacheScope: 'shared' }, 'one of public, private'],
      ['cache/ttl', { ttl: 5 }, 'ttlMs'],
      ['keepAlive/interval', { interval: Number.NaN }, 'got NaN'],
      ['keepAlive/timeout', { timeout: 0 }, 'got 0'],
      ['keepAlive', true, 'an object'],
      ['inputRequests/ttl', { ttl: '15m' }, 'a string'],
      ['inputRequests/maxRounds', { maxRounds: -1 }, 'got -1'],
      ['rateLimits/call', { call: false }, 'calls'],
    ].map(([place = '', value, received]): [string, () => unknown, string, string[]] => [
      `${place} of ${JSON.stringify(value)}`,
      () => server({ ...about, [`${place}`.replace(/\/.*/, '')]: value }),
      'server/definition',
      [`\`${place}\``, `${received}`],
    ]),
    [
      'an invalid lifetime of a resource',
      () => withResource({ cache: { ttlMs: '5s' }, read }),
      'resource/definition',
      ['`cache/ttlMs`', 'a string'],
    ],
    [
      'the name of a tool in its definition',
      () => withTool({ name: 't', run }),
      'tool/definition',
      ['the key of the tool in `tools`'],
    ],
    [
      'the name of a prompt in its definition',
      () => withPrompt({ name: 'p', run }),
      'prompt/definition',
      ['the key of the prompt in `prompts`'],
    ],
    [
      'the URI of a resource in its definition',
      () => withResource({ uri: 'a:b', read }),
      'resource/definition',
      ['the key of the resource in `resources`'],
    ],
    ['no tool', () => withTool(undefined), 'tool/definition', ['tool "t"', 'run(input, ctx)', 'got nothing']],
    [
      'a function as tool',
      () => server({ ...about, tools: { t: run } }),
      'tool/definition',
      ['tool "t"', 'a function'],
    ],
    [
      'a tool without run',
      () => withTool({ description: 'x' }),
      'tool/definition',
      ['tool "t"', '`run`', 'a function'],
    ],
    ['execute', () => withTool({ execute: run }), 'tool/definition', ['"execute"', 'Did you mean "run"?']],
    [
      'a prompt with get',
      () => server({ ...about, prompts: { p: { get: run } } }),
      'prompt/definition',
      ['"get"', 'Did you mean "run"?'],
    ],
    ['inputSchema', () => withTool({ inputSchema: {}, run }), 'tool/definition', ['Did you mean "input"?']],
    [
      'a misspelt key of a tool',
      () => withTool({ descripton: 'x', run }),
      'tool/definition',
      ['Did you mean "description"?'],
    ],
    [
      'an unknown word as `task`',
      () => withTool({ task: 'x', run }),
      'tool/definition',
      ['`task`', 'one of forbidden'],
    ],
    [
      'a misspelt task option',
      () => withTool({ task: { aftr: 5 }, run }),
      'tool/definition',
      ['`task/aftr`', 'Expected after', 'an unknown option'],
    ],
    [
      'a task option that is no number',
      () => withTool({ task: { after: Number.NaN }, run }),
      'tool/definition',
      ['`task/after`'],
    ],
    ['a negative lifetime of tasks', () => withTool({ task: { ttl: -1 }, run }), 'tool/definition', ['`task/ttl`']],
    ['tasks({ ttl: NaN })', () => tasks({ ttl: Number.NaN }), 'options/invalid', ['tasks', '`ttl`', 'at least 0']],
    ['tasks({ maxShare: 2 })', () => tasks({ maxShare: 2 }), 'options/invalid', ['`maxShare`', 'from 0 to 1']],
    ['tasks({ leaseTtl: 0 })', () => tasks({ leaseTtl: 0 }), 'options/invalid', ['`leaseTtl`', 'at least 1']],
    ['tasks({ list: "no" })', () => loosely(tasks, { list: 'no' }), 'options/invalid', ['`list`', 'true or false']],
    ['a word as input', () => withTool({ input: 'x', run }), 'tool/definition', ['`input`', 'a string']],
    [
      'a description that is none',
      () => withTool({ description: 5, run }),
      'tool/definition',
      ['`description`', 'a number'],
    ],
    [
      'a tool that is set later',
      () => createServer({ ...about, tools: {} }).tools.set('t', {} as never),
      'tool/definition',
      ['tool "t"', '`run`'],
    ],
    ['a prompt without run', () => withPrompt({}), 'prompt/definition', ['prompt "p"', '`run`']],
    [
      'a prompt with arguments',
      () => withPrompt({ arguments: [], run }),
      'prompt/definition',
      ['Did you mean "input"?'],
    ],
    ['a resource without read', () => withResource({}), 'resource/definition', ['resource "a:b"', '`read`']],
    ['a resource with run', () => withResource({ run }), 'resource/definition', ['Did you mean "read"?']],
    [
      'a misspelt key of a resource',
      () => withResource({ mimetype: 'x', read }),
      'resource/definition',
      ['Did you mean "mimeType"?'],
    ],
    [
      'rateLimit({ max })',
      () => loosely(rateLimit, { max: 1 }),
      'server/middleware-options',
      ['rateLimit', '"max"', '{ burst, perSecond'],
    ],
    ['rateLimit()', () => loosely(rateLimit, undefined), 'server/middleware-options', ['{ burst, perSecond']],
    [
      'rateLimit that lets nothing in',
      () => rateLimit({ burst: 1, perSecond: 0 }),
      'server/middleware-options',
      ['`perSecond`', 'above 0'],
    ],
    ['caching without tools', () => loosely(caching, { ttl: 1 }), 'server/middleware-options', ['`tools`']],
    ['resultSizeLimit()', () => loosely(resultSizeLimit, undefined), 'server/middleware-options', ['`maxCharacters`']],
    ['timeout of text', () => loosely(timeout, '5'), 'server/middleware-options', ['`ms`', 'a string']],
    ['logging()', () => loosely(logging, undefined), 'server/middleware-options', ['`write`']],
    ['connect()', () => target(undefined), 'connect/target', ['a URL, { url }', 'undefined']],
    ['connect(null)', () => target(null), 'connect/target', ['null']],
    ['connect(5)', () => target(5), 'connect/target', ['number']],
    ['connect({})', () => target({ uri: 'x' }), 'connect/target', ['keys uri']],
    [
      'args that are a word',
      () => target({ command: 'node', args: 'x' }),
      'connect/target',
      ['`args`', 'an array', 'a string'],
    ],
    [
      'a misspelt key of a command',
      () => target({ command: 'node', arg: ['x'] }),
      'connect/target',
      ['Did you mean "args"?'],
    ],
    ['no command', () => target({ command: undefined }), 'connect/target', ['`command`']],
    ['headers that are none', () => target({ url: 'http://a', headers: 'x' }), 'connect/target', ['`headers`']],
    [
      'a misspelt option',
      () => target('http://a', { protocolVersoin: 'x' }),
      'connect/options',
      ['Did you mean "protocolVersion"?'],
    ],
    [
      'an option of another type',
      () => target('http://a', { elicit: true }),
      'connect/options',
      ['`elicit`', 'a function'],
    ],
    ['options that are none', () => target('http://a', 5), 'connect/options', ['a number']],
    [
      'protect without resource',
      () => loosely(protect, { issuers: ['https://a.example'] }),
      'auth/options',
      ['`resource`'],
    ],
    [
      'protect without issuers',
      () => loosely(protect, { resource: 'https://a.example/mcp' }),
      'auth/options',
      ['`issuers`'],
    ],
    ['protect()', () => loosely(protect, undefined), 'auth/options', ['`resource`']],
    [
      'a port that is text',
      () => serveHttp(createServer(about), { port: '3000' as never }),
      'serve/options',
      ['`port`', '0 to 65535', 'a string'],
    ],
    ['a port that is too high', () => serveHttp(createServer(about), { port: 70_000 }), 'serve/options', ['70000']],
    ['a port below 0', () => serveHttp(createServer(about), { port: -1 }), 'serve/options', ['-1']],
    ['serveHttp()', () => serveHttp(undefined as never), 'serve/service', ['createServer', 'undefined']],
    ['serveStdio()', () => serveStdio(undefined as never), 'serve/service', ['createServer']],
    ['createHandler of a function', () => createHandler((() => {}) as never), 'serve/service', ['Call the function']],
  ])('names the expected form and the nearest key: %s', async (_name, make, code, says) => {
    const error = await refusal(make);
    expect(error.code).toBe(code);
    for (const each of says) expect(error.message).toContain(each);
  });
});

describe('createServer() with a fit definition', () => {
  it('accepts undefined options and an instance of a class', () => {
    class Greeting {
      readonly description = undefined;
      run() {
        return 'hello';
      }
    }
    const nothing = { title: undefined, use: undefined, stores: undefined, pageSize: undefined };
    expect(() => server({ ...about, ...nothing, tools: { t: new Greeting() } })).not.toThrow();
  });
});
