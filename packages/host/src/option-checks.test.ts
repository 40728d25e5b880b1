import { createHost, type HostOptions, type HostServer } from '@tenon/host';
import { createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';

const service = createServer({ name: 'notes', version: '1.0.0', tools: { find: tool({ run: () => 'found' }) } });

/** Opens a host as a program without types does. */
async function open(options: object, server: object = { service }) {
  const servers = { notes: server as HostServer };
  const host = await createHost({ servers, ...options } as HostOptions);
  await host.close();
}

describe('createHost', () => {
  it.each<[option: string, value: unknown]>([
    ['servers', []],
    ['servers', Promise.resolve({})],
    ['prefix', 'yes'],
    ['startTimeout', Number.NaN],
    ['listTimeout', -1],
    ['connectionIdleTimeout', '5'],
    ['maxProcesses', Number.NaN],
    ['maxConnectionsPerServer', 0],
    ['maxConnectionsPerCaller', 0],
    ['maxShare', 2],
    ['pageSize', 0],
    ['listDenied', 'no'],
    ['waitForTasks', 'no'],
    ['strict', 'no'],
    ['extensions', 'io.example/a'],
    ['budget', '5000'],
    ['budget/pinned', { budget: 5, pinned: 'find' }],
    ['budget/embedTimeout', { budget: 5, embedTimeout: Number.NaN }],
    ['credentials', 'secret'],
    ['callerSignIn', {}],
    ['stores', {}],
    ['telemetry', {}],
    ['clock', {}],
    ['onServerState', 'log'],
    ['elicit', true],
    ['policy', 5],
    ['quotas', {}],
    ['lockGuard', 'mcp.lock'],
    ['onDrift', 'block'],
    ['audit', 5],
    ['auditAnchorInterval', Number.NaN],
    ['output', 'none'],
    ['output/maxText', { maxText: Number.NaN }],
    ['output/maxBinary', { maxBinary: -1 }],
    ['screening', 'off'],
    ['screening/onThreat', { onThreat: 'blok' }],
    ['broker', {}],
    ['sampling', 'none'],
    ['lock', 5],
    ['trust', 'yes'],
    ['config', 5],
  ])('refuses the option `%s`: %j', async (option, value) => {
    const [name = ''] = option.split('/');
    await expect(open({ [name]: value })).rejects.toMatchObject({
      code: 'options/invalid',
      summary: expect.stringContaining(`createHost: invalid \`${option}`),
    });
  });

  it.each<[setting: string, value: unknown]>([
    ['disabled', 'false'],
    ['trusted', 'no'],
    ['share', 'no'],
    ['strict', 'no'],
    ['startTimeout', Number.NaN],
    ['idleTimeout', -5],
    ['roots', 'file:///a'],
    ['assumeCapabilities/0', ['toolz']],
    ['protocolVersion', '2020-01-01'],
    ['serviceAccount/clientId', { clientId: '' }],
    ['serviceAccount/privateKey', { clientId: 'a', privateKey: {} }],
    ['origin/file', { file: 5 }],
    ['apiUrl', 5],
    ['beforeStart', 5],
    ['tools/exclude', { exclude: 'find' }],
    ['tools/include/0', { include: [5] }],
    ['tools/overrides', { overrides: [] }],
    ['tools/overrides/find/name', { overrides: { find: { name: '' } } }],
    ['tools/overrides/find/name', { overrides: { find: { name: 'a b' } } }],
    ['tools/overrides/find/hide', { overrides: { find: { hide: 'a' } } }],
    ['perCaller/env', { env: 'A' }],
  ])('refuses the setting `%s` of a server: %j', async (setting, value) => {
    const [name = ''] = setting.split('/');
    await expect(open({}, { service, [name]: value })).rejects.toMatchObject({
      code: 'options/invalid',
      summary: expect.stringContaining(`the server "notes": invalid \`${setting}`),
    });
  });

  it.each<[member: string, server: object]>([
    ['args', { command: 'node', args: 'a.js' }],
    ['command', { command: '' }],
    ['headers', { url: 'https://a.example/mcp', headers: 'a' }],
    ['transport', { url: 'https://a.example/mcp', transport: 'sse' }],
    ['resume/maxAttempts', { url: 'https://a.example/mcp', resume: { maxAttempts: '5' } }],
    ['service', { service: {} }],
  ])('refuses the member `%s` of the target of a server: %j', async (member, server) => {
    await expect(open({}, server)).rejects.toMatchObject({
      code: 'options/invalid',
      summary: expect.stringContaining(`the server "notes": invalid \`${member}`),
    });
  });

  it('refuses a server without a target and one with two', async () => {
    const expected = 'one of `url`, `command` and `service`';
    await expect(open({}, {})).rejects.toMatchObject({ code: 'options/invalid', expected });
    const received = 'command, service';
    await expect(open({}, { service, command: 'node' })).rejects.toMatchObject({ expected, received });
  });

  it('refuses an unknown exception of a server when it is created', async () => {
    const server = { url: 'https://a.example/mcp', authExceptions: { omitResorce: true } };
    await expect(open({}, server)).rejects.toMatchObject({ code: 'auth/options' });
  });
});
