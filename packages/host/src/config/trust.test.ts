// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so

import type { Values } from '@tenon/base';
import { beforeEach, describe, expect, it } from 'vitest';
import { memoryStores } from '../../../tenon/src/stores/memory-stores.js';
import { command, entry, type From, hush, key, remote, variables } from './fixtures/project.js';
import { createTrust } from './trust.js';
import type { TrustQuestion } from './trust-question.js';

let values: Values;
let requests: TrustQuestion[];
beforeEach(() => {
  values = memoryStores().values;
  requests = [];
});

const asking = (answer: boolean | ((question: TrustQuestion) => Promise<boolean>), secret = key) =>
  createTrust({
    values,
    key: secret,
    ask(_, question) {
      requests.push(question);
      return typeof answer === 'boolean' ? answer : answer(question);
    },
  });

/** Everything that is kept, as somebody who reads the store finds it. */
const getStored = async () => JSON.stringify(await values.list(''));

describe('approval of servers of a project', () => {
  it('prompts once, remembers it, and prompts for no server outside a project', async () => {
    const trust = asking(true);
    expect(await trust.isApproved(await entry(command, { env: variables }))).toBe(true);
    expect(await trust.isApproved(await entry(command, { env: variables }))).toBe(true);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.first).toBe(true);
    const own = await entry({ command: 'rm', args: ['-rf', '/'] });
    expect(await trust.isApproved({ ...own, origin: { file: '/u', line: 1, scope: 'user' } })).toBe(true);
    expect(await trust.isApproved({ name: 'in code', target: { command: 'x' } })).toBe(true);
    expect(requests).toHaveLength(1);
  });

  it('does not run a refused server, and prompts again', async () => {
    const trust = asking(false);
    expect(await trust.isApproved(await entry(remote))).toBe(false);
    expect(await trust.isApproved(await entry(remote))).toBe(false);
    expect(requests).toHaveLength(2);
    expect(await getStored()).toBe('[]');
    const truthy = createTrust({ values, key, ask: () => 'yes' as unknown as boolean });
    expect(await truthy.isApproved(await entry(remote))).toBe(false);
  });

  it('refuses without a prompt, and names how to approve', async () => {
    const trust = createTrust({ values, key });
    const refusal = trust.isApproved(await entry(command, { env: variables }));
    await expect(refusal).rejects.toMatchObject({ code: 'config/not-approved' });
    await expect(refusal).rejects.toThrow(
      /\/p\/\.mcp\.json:1: the project server "s" .* not approved yet[\s\S]*`approve\(entry\)`/,
    );
    await trust.approve(await entry(command, { env: variables }));
    expect(await trust.isApproved(await entry(command, { env: variables }))).toBe(true);
    const other = trust.isApproved(await entry({ ...command, command: 'sh' }, { env: variables }));
    await expect(other).rejects.toThrow('has changed since its approval: command');
    await trust.revoke({ file: '/p/.mcp.json' }, 's');
    await expect(trust.isApproved(await entry(command, { env: variables }))).rejects.toThrow('not approved yet');
  });

  it.each<[string, object, object, From, From, object[]]>([
    ['command', command, { command: 'sh' }, {}, {}, [{ key: 'command', before: 'npx', after: 'sh' }]],
    [
      'an argument',
      command,
      { args: ['-y', 'other', '--token', hush] },
      {},
      {},
      [{ key: 'args[1]', before: 'server', after: 'other' }],
    ],
    ['one more argument', command, { args: [...command.args, '--all'] }, {}, {}, [{ key: 'args[4]', after: '--all' }]],
    ['one argument less', command, { args: ['-y', 'server', '--token'] }, {}, {}, [{ key: 'args[3]', before: '••••' }]],
    [
      'a secret argument',
      command,
      { args: ['-y', 'server', '--token', 'x'] },
      {},
      {},
      [{ key: 'args[3]', before: '••••', after: '•••• (another value)' }],
    ],
    [
      'the name of a variable',
      command,
      { env: { TOKEN2: hush, LEVEL: '${LEVEL}' } },
      {},
      {},
      [
        { key: 'env.TOKEN2', after: '••••' },
        { key: 'env.TOKEN', before: '••••' },
      ],
    ],
    [
      'the value of a variable',
      command,
      { env: { TOKEN: 'x', LEVEL: '${LEVEL}' } },
      {},
      {},
      [{ key: 'env.TOKEN', before: '••••', after: '•••• (another value)' }],
    ],
    [
      'which variable it is filled in from',
      command,
      { env: { TOKEN: hush, LEVEL: '${WHO}' } },
      {},
      {},
      [{ key: 'env.LEVEL', before: '${env:LEVEL}', after: '${env:WHO}' }],
    ],
    ['the folder', command, { cwd: 'b' }, {}, {}, [{ key: 'cwd', before: 'a', after: 'b (now /p/b)' }]],
    ['the file of variables', command, { envFile: 'b' }, {}, {}, [{ key: 'envFile', before: '.env', after: 'b' }]],
    [
      'what the file of variables holds',
      command,
      {},
      { fromFile: { A: hush, B: '1' } },
      { fromFile: { A: 'x', NODE_OPTIONS: '--import=./x.js' } },
      [
        { key: 'env.A', before: '••••', after: '•••• (another value)' },
        { key: 'env.NODE_OPTIONS', after: '--import=./x.js' },
        { key: 'env.B', before: '••••' },
      ],
    ],
    [
      'what stands there, though it comes to the same',
      { command: 'npx' },
      { command: '${NO:-npx}' },
      {},
      {},
      [{ key: 'command', before: 'npx', after: '${NO:-npx} (now npx)' }],
    ],
    [
      'what a secret variable makes of an argument',
      { command: 'x', args: ['${API_KEY}'] },
      {},
      { env: { API_KEY: 'x' } },
      { env: { API_KEY: hush } },
      [{ key: 'args[0]', before: '${API_KEY}', after: '${API_KEY} (another value)' }],
    ],
    [
      'what a variable makes of the command',
      { command: '${WHO}/run' },
      {},
      {},
      { env: { WHO: 'eve' } },
      [{ key: 'command', before: '${WHO}/run', after: '${WHO}/run (now eve/run)' }],
    ],
    [
      'the URL',
      remote,
      { url: `https://b.example/mcp?key=${hush}` },
      {},
      {},
      [{ key: 'url', before: 'https://a.example/mcp?key=••••', after: 'https://b.example/mcp?key=••••' }],
    ],
    ['the transport', remote, { type: 'sse' }, {}, {}, [{ key: 'transport', after: 'http-sse' }]],
    [
      'the value of a header',
      remote,
      { headers: { Authorization: 'Bearer x' } },
      {},
      {},
      [{ key: 'headers.Authorization', before: '••••', after: '•••• (another value)' }],
    ],
    [
      'the name of a header',
      remote,
      { headers: { 'X-Key': `Bearer ${hush}` } },
      {},
      {},
      [
        { key: 'headers.X-Key', after: '••••' },
        { key: 'headers.Authorization', before: '••••' },
      ],
    ],
    ['what is believed', remote, { trusted: true }, {}, {}, [{ key: 'trusted', after: 'true' }]],
    [
      'the tools and the roots',
      remote,
      { tools: { include: ['*'], exclude: ['b'] }, roots: ['/'] },
      {},
      {},
      [
        { key: 'tools.include', after: '["*"]' },
        { key: 'tools.exclude', after: '["b"]' },
        { key: 'roots', after: '["file:///"]' },
      ],
    ],
  ])(
    'prompts again when %s changes, and shows the change without secrets',
    async (_, server, change, from, to, changes) => {
      const trust = asking(true);
      await trust.isApproved(await entry(server, { env: variables, ...from }));
      expect(await trust.isApproved(await entry({ ...server, ...change }, { env: variables, ...from, ...to }))).toBe(
        true,
      );
      expect(requests).toHaveLength(2);
      expect(requests[1]).toMatchObject({ first: false });
      expect(requests[1]?.changes).toEqual(changes);
      expect(JSON.stringify(requests)).not.toContain(hush);
      expect(await getStored()).not.toContain(hush);
    },
  );

  it('does not prompt again for irrelevant changes, nor for values of variables', async () => {
    const trust = asking(true);
    await trust.isApproved(await entry(command, { env: variables }));
    const same = { timeout: 9000, description: 'x', ...command, env: { LEVEL: '${LEVEL}', TOKEN: hush } };
    await trust.isApproved(await entry(same, { env: { LEVEL: 'info' } }));
    expect(requests).toHaveLength(1);
  });

  it('binds an approval to the file and the name', async () => {
    const trust = asking(true);
    await trust.isApproved(await entry(remote));
    await trust.isApproved(await entry(remote, { file: '/q/.mcp.json' }));
    await trust.isApproved(await entry(remote, { name: 't' }));
    expect(requests.map(({ first }) => first)).toEqual([true, true, true]);
  });

  it('cannot move to another server, nor be read without the key', async () => {
    const trust = asking(true);
    await trust.isApproved(await entry(remote));
    const [record] = await values.list('');
    await trust.isApproved(await entry(remote, { name: 't' }));
    const other = (await values.list('')).find(each => each.key !== record?.key);
    await values.put(other?.key as string, record?.value as object as never);
    await trust.isApproved(await entry(remote, { name: 't' }));
    expect(requests).toHaveLength(3);
    // Another key knows nothing of it: what is kept cannot be tried out.
    await asking(true, new Uint8Array(32).fill(8)).isApproved(await entry(remote));
    expect(requests).toHaveLength(4);
    expect(requests[3]?.first).toBe(true);
    expect(() => createTrust({ values, key: new Uint8Array(31) })).toThrow('32 bytes');
  });

  it('prompts once for concurrent requests, and again after an error', async () => {
    const granted: ((answer: boolean) => void)[] = [];
    const trust = asking(() => new Promise(resolve => void granted.push(resolve)));
    const [one, two] = [trust.isApproved(await entry(remote)), trust.isApproved(await entry(remote))];
    await expect.poll(() => granted.length).toBe(1);
    const changed = trust.isApproved(await entry({ ...remote, trusted: true }));
    await expect.poll(() => granted.length).toBe(2);
    granted[0]?.(true);
    granted[1]?.(false);
    expect(await Promise.all([one, two, changed])).toEqual([true, true, false]);

    values = memoryStores().values;
    let faults = 0;
    const failing = asking(async () => {
      faults += 1;
      if (faults === 1) throw new Error('closed');
      return true;
    });
    await expect(failing.isApproved(await entry(remote))).rejects.toThrow('closed');
    expect(await failing.isApproved(await entry(remote))).toBe(true);
  });

  it('ignores a foreign record', async () => {
    const trust = asking(true);
    await trust.isApproved(await entry(remote));
    const [record] = await values.list('');
    for (const value of [{}, { parts: 1 }, { mark: 1, parts: { url: 1, command: { shown: {} } } }]) {
      await values.put(record?.key as string, value as never);
      expect((await trust.getQuestion(await entry(remote)))?.changes).not.toEqual([]);
    }
  });
});
