import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  allow,
  ask,
  createAudit,
  createHost,
  deny,
  type NodeHostOptions,
  type Quota,
  verifyAuditFile,
} from '@tenon/host';
import { fakeClock } from '@tenon/testing';
import { createServer, prompt, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callTool, sendRequest } from '../../input-requests/wire.js';
import {
  collectNotifications,
  createFolder,
  getOutcome,
  readAuditMethods,
  startGuardedHost,
  VERSIONS,
} from './guarded-host.js';
import { createWorksServer } from './works-server.js';

const send = (principal: string, capabilities = {}) => ({ principal, capabilities });
const hi = { arguments: { text: 'hi' } };

describe('a quota [tools.security.rate-limited]', () => {
  const window = 60_000;

  async function limited(...quotas: Quota[]) {
    const [one, two] = [createWorksServer(), createWorksServer()];
    const clock = fakeClock();
    const servers = { one: { service: one.server }, two: { service: two.server } };
    const { host } = await startGuardedHost({ servers, quotas, clock });
    const server = host.toServer();
    /** Calls of these principals, each of a tool: 429 for one too many. */
    const calls = async (...all: [principal: string, tool: string][]) => {
      const answers = [];
      for (const [principal, name] of all) {
        const { error } = await callTool(server, name, { arguments: { text: 'hi', region: 'x' } }, send(principal));
        answers.push(error?.code ?? 'ok');
      }
      return answers;
    };
    return { host, server, calls, clock, ran: one.ran, ranInTwo: two.ran };
  }

  it('counts each principal separately', async () => {
    const { calls, ran, ranInTwo } = await limited({ per: ['principal'], calls: 2, window });
    expect(
      await calls(
        ['ada', 'one__say'],
        ['ada', 'two__say'],
        ['ada', 'one__say'],
        ['eve', 'one__say'],
        ['ada', 'two__say'],
      ),
    ).toEqual(['ok', 'ok', 429, 'ok', 429]);
    expect([ran.length, ranInTwo.length]).toEqual([2, 1]);
  });

  it('counts each server separately', async () => {
    const { calls } = await limited({ per: ['server'], calls: 1, window });
    expect(await calls(['ada', 'one__say'], ['eve', 'one__route'], ['ada', 'two__say'])).toEqual(['ok', 429, 'ok']);
  });

  it('counts each tool of each server separately', async () => {
    const { calls } = await limited({ per: ['tool'], calls: 1, window });
    expect(await calls(['ada', 'one__say'], ['eve', 'one__say'], ['ada', 'one__route'], ['ada', 'two__say'])).toEqual([
      'ok',
      429,
      'ok',
      'ok',
    ]);
  });

  it('returns the delay, and refills with time', async () => {
    const { server, clock, calls } = await limited({ per: ['principal'], calls: 1, window });
    await calls(['ada', 'one__say']);
    const { error } = await callTool(server, 'one__say', hi, send('ada'));
    expect(error).toMatchObject({ code: 429, data: { retryAfterMs: window } });
    clock.advance(window);
    expect(await calls(['ada', 'one__say'])).toEqual(['ok']);
  });

  it('covers resources, prompts and calls through call_tool', async () => {
    const { server, ran } = createWorksServer();
    const quotas = [{ per: ['principal'], calls: 1, window }] as const;
    const { host } = await startGuardedHost({ servers: { one: { service: server } }, quotas, budget: 1 });
    const inside = { arguments: { name: 'say', ...hi } };
    expect((await callTool(host.toServer(), 'call_tool', inside, send('ada'))).error).toBeUndefined();
    expect((await callTool(host.toServer(), 'call_tool', inside, send('ada'))).error?.code).toBe(429);
    const read = await sendRequest(host.toServer(), 'resources/read', { uri: 'note://open' }, send('ada'));
    const prompt = { name: 'draft', arguments: { who: 'x' } };
    expect([
      read.error?.code,
      (await sendRequest(host.toServer(), 'prompts/get', prompt, send('ada'))).error?.code,
    ]).toEqual([429, 429]);
    expect(ran).toEqual(['say hi']);
  });

  it.each(VERSIONS)('counts a call once, however often it requests input, in %s', async protocolVersion => {
    const { server, ran } = createWorksServer();
    const quotas = [{ per: ['principal'], calls: 1, window }] as const;
    const { client } = await startGuardedHost({ servers: { one: { service: server } }, quotas });
    const on = await client({ protocolVersion, elicit: () => ({ action: 'accept', content: { yes: true } }) });
    const name = protocolVersion < '2025-06-18' ? 'say' : 'replays';
    expect(await getOutcome(on.callTool(name, { path: 'a', text: 'a' }))).toBe(`${name} a`);
    expect(await getOutcome(on.callTool(name, { path: 'a', text: 'a' }))).toMatch(/^429: Too many requests/);
    expect(ran).toHaveLength(1);
  });
});

describe('the audit log', () => {
  const secret = 'hunter2-sk-ant-api03-000000000000000000';

  async function getStored() {
    const path = join(await createFolder(), 'audit.jsonl');
    const { server, ran } = createWorksServer();
    const policy = [deny({ tool: 'erase', because: 'no' }), ask('*/sure'), allow()];
    const approve = ({ arguments: { path } }: { arguments: { readonly [name: string]: unknown } }) => path === 'a';
    const setup = await startGuardedHost({ servers: { one: { service: server } }, policy, approve, audit: path });
    const on = await setup.client({ elicit: () => ({ action: 'accept', content: { yes: true } }) });
    return { ...setup, on, path, ran };
  }

  it('contains the outcome of each call, and verifies', async () => {
    const { on, host, path } = await getStored();
    await on.callTool('say', { text: 'hi' });
    await on.callTool('erase', { path: 'a' });
    await on.callTool('sure', { path: 'a' });
    await on.callTool('sure', { path: 'b' });
    await getOutcome(on.callTool('say', {}));
    await on.readResource('note://open');
    await on.call('prompts/get', { name: 'draft', arguments: { who: 'ada' } });
    await host.close();
    expect(await readAuditMethods(path)).toEqual([
      ...['called say', 'answered say'],
      'denied erase',
      ...['asked sure', 'allowed sure', 'called sure', 'answered sure', 'answered sure'],
      ...['asked sure', 'denied sure'],
      ...['called say', 'answered say'],
      ...['called note://open', 'answered note://open'],
      ...['called draft', 'answered draft'],
    ]);
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true });
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const forged = lines.map(line => line.replace('"denied"', '"allowed"')).join('\n');
    await writeFile(path, `${forged}\n`);
    expect(await verifyAuditFile(path)).toMatchObject({ ok: false });
  });

  it.each(VERSIONS)('contains each request that was refused before a server got it, in %s', async protocolVersion => {
    const path = join(await createFolder(), 'audit.jsonl');
    const policy = [deny({ resource: 'note://secret/*' }), deny({ prompt: 'draft' }), allow()];
    const { host, client } = await startGuardedHost({
      servers: { one: { service: createWorksServer().server } },
      policy,
      audit: path,
    });
    const on = await client({ protocolVersion });
    const complete = (ref: object) =>
      on.call('completion/complete', { ref, argument: { name: 'who', value: '' } } as never);
    await getOutcome(complete({ type: 'ref/prompt', name: 'draft' }));
    await getOutcome(complete({ type: 'ref/prompt', name: 'nothing' }));
    await getOutcome(complete({ type: 'ref/resource', uri: 'note://secret/plan' }));
    await getOutcome(on.callTool('nothing', {}));
    await getOutcome(on.call('prompts/get', { name: 'nothing' }));
    await getOutcome(on.call('prompts/get', { name: 'draft', arguments: { who: 'a' } }));
    const listens = protocolVersion >= '2026-07-28';
    if (listens) await collectNotifications(host, 'note://secret/plan');
    else await getOutcome(on.call('resources/subscribe' as never, { uri: 'note://secret/plan' } as never));
    await host.close();
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const events = lines.map(line => JSON.parse(line)).filter(({ action }) => action !== undefined);
    const watching = listens ? 'subscriptions/listen' : 'resources/subscribe';
    expect(events.map(({ action, kind, name, details }) => [action, kind, name, details?.method])).toEqual([
      ['denied', 'prompt', 'draft', 'completion/complete'],
      ['refused', 'prompt', 'nothing', 'completion/complete'],
      ['denied', 'resource', 'note://secret/plan', 'completion/complete'],
      ['refused', 'tool', 'nothing', 'tools/call'],
      ['refused', 'prompt', 'nothing', 'prompts/get'],
      ['denied', 'prompt', 'draft', undefined],
      ['denied', 'resource', 'note://secret/plan', watching],
    ]);
    expect(events[1]).toMatchObject({
      reason: 'Unknown prompt: nothing. Choose a name from prompts/list',
      outcome: '-32602',
    });
    expect(events[0]).toMatchObject({ rule: 2, reason: 'denied by rule 2' });
  });

  it.each([{}, { budget: 1 }])('contains calls of unknown tools and resources: %j', async more => {
    const path = join(await createFolder(), 'audit.jsonl');
    const [one, two] = [createWorksServer(), createWorksServer()];
    const servers = { one: { service: one.server }, two: { service: two.server } };
    const { host } = await startGuardedHost({ servers, audit: path, ...more });
    const server = host.toServer();
    await callTool(server, 'one__nothing', hi, send('eve'));
    if ('budget' in more) await callTool(server, 'call_tool', { arguments: { name: 'two__none', ...hi } }, send('eve'));
    await sendRequest(server, 'resources/read', { uri: 'nothing://there' }, send('eve'));
    await sendRequest(server, 'resources/read', { uri: 'note://open' }, send('eve'));
    await host.close();
    expect(await readAuditMethods(path)).toEqual([
      'refused one__nothing',
      ...('budget' in more ? ['refused two__none'] : []),
      'refused nothing://there',
      'refused note://open',
    ]);
    expect((await readFile(path, 'utf8')).match(/"principal":"eve"/g)).toHaveLength('budget' in more ? 4 : 3);
  });

  it('fails a call that cannot be recorded', async () => {
    let open = true;
    const audit = await createAudit({
      append: () => (open ? Promise.resolve() : Promise.reject(new Error('the disk is full'))),
    });
    const { client, errors } = await startGuardedHost({
      servers: { one: { service: createWorksServer().server } },
      audit,
    });
    const on = await client();
    await on.call('tools/list');
    open = false;
    expect(await getOutcome(on.call('prompts/get', { name: 'nothing' }))).toContain(
      'audit record could not be written',
    );
    expect(errors.map(({ code }) => code)).toContain('audit/failed');
  });

  it('fails the verification once it was emptied', async () => {
    const { on, host, path } = await getStored();
    await on.callTool('say', { text: 'hi' });
    await host.close();
    const { head } = await verifyAuditFile(path);
    await writeFile(path, '');
    for (const options of [{}, { through: head }]) {
      const { ok, finding, at } = await verifyAuditFile(path, options);
      expect({ ok, finding, at }).toMatchObject({
        ok: false,
        finding: { line: 1, what: expect.stringContaining('the record is empty') },
      });
    }
  });

  it('contains calls above the quota', async () => {
    const path = join(await createFolder(), 'audit.jsonl');
    const quotas = [{ per: ['tool'], calls: 1, window: 60_000 }] as const;
    const { client, host } = await startGuardedHost({
      servers: { one: { service: createWorksServer().server } },
      quotas,
      audit: path,
    });
    const on = await client();
    for (let time = 0; time < 2; time++) await getOutcome(on.callTool('say', { text: 'hi' }));
    await host.close();
    expect(await readAuditMethods(path)).toEqual(['called say', 'answered say', 'limited say']);
  });

  it.each<[string, (at: string) => Partial<NodeHostOptions>]>([
    ['whose policy cannot be read', at => ({ policy: join(at, 'none.json') })],
    ['whose lock cannot be read', at => ({ lock: { file: at } })],
    ['whose quotas are none', () => ({ quotas: [{ per: ['principal'], calls: -1, window: 1 }] })],
  ])('is not locked by a host %s', async (_, wrong) => {
    const at = await createFolder();
    const servers = { one: { service: createWorksServer().server } };
    await expect(
      createHost({ prefix: 'auto', servers, audit: join(at, 'audit.jsonl'), ...wrong(at) }),
    ).rejects.toThrow();
    expect((await readdir(at)).filter(file => file.endsWith('.lock'))).toEqual([]);
  });

  it('contains no secret', async () => {
    const { on, host, path, ran } = await getStored();
    await on.callTool('say', { text: secret });
    await on.callTool('sure', { path: secret });
    await on.callTool('erase', { path: secret });
    await getOutcome(on.readResource(`note://box/${secret}`));
    await host.close();
    expect(ran.join()).toContain(secret);
    const text = await readFile(path, 'utf8');
    expect(text.includes('"answered"')).toBe(true);
    expect(text).not.toContain('hunter2-sk-ant');
  });

  it('contains the user and the error, on all protocol versions', async () => {
    const path = join(await createFolder(), 'audit.jsonl');
    const { server } = createWorksServer();
    const broken = createServer({
      name: 'broken',
      version: '1',
      tools: { fails: tool({ input: z.object({}), run: () => Promise.reject(new Error('boom')) }) },
      onError: () => {},
    });
    const { host } = await startGuardedHost({
      servers: { one: { service: server }, two: { service: broken } },
      audit: path,
    });
    await callTool(host.toServer(), 'one__say', hi, send('ada'));
    await callTool(host.toServer(), 'two__fails', {}, send('eve'));
    await host.close();
    const lines = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const events = lines.filter(({ action }) => action !== undefined);
    expect(events.map(({ principal, server, action }) => [principal, server, action])).toEqual([
      ['ada', 'one', 'called'],
      ['ada', 'one', 'answered'],
      ['eve', 'two', 'called'],
      ['eve', 'two', expect.stringMatching(/answered|failed/)],
    ]);
    expect(events[3].outcome).not.toBe('ok');
  });

  it('contains a failed request with its code and its duration', async () => {
    const path = join(await createFolder(), 'audit.jsonl');
    const broken = createServer({
      name: 'broken',
      version: '1',
      prompts: { draft: prompt({ run: () => Promise.reject(new Error('boom')) }) },
      onError: () => {},
    });
    const { host } = await startGuardedHost({ servers: { one: { service: broken } }, audit: path });
    const { error } = await sendRequest(host.toServer(), 'prompts/get', { name: 'draft' }, send('ada'));
    expect(error?.code).toBe(-32603);
    await host.close();
    const events = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(events.filter(({ name }) => name === 'draft')).toMatchObject([
      { action: 'called' },
      { action: 'failed', outcome: '-32603', ms: expect.any(Number) },
    ]);
  });

  it.each(['say', 'erase', 'sure'])('prevents a call when it cannot be written: %s', async name => {
    let open = true;
    const audit = await createAudit({
      append: () => (open ? Promise.resolve() : Promise.reject(new Error('the disk is full'))),
    });
    const { server, ran } = createWorksServer();
    const policy = [ask('*/sure'), allow()];
    const { client, errors } = await startGuardedHost({
      servers: { one: { service: server } },
      policy,
      approve: () => true,
      audit,
    });
    const on = await client();
    expect(await getOutcome(on.callTool('say', { text: 'before' }))).toBe('say before');
    open = false;
    expect(await getOutcome(on.callTool(name, { path: 'a', text: 'a' }))).toBe(
      '-32603: Not done: the audit record could not be written',
    );
    expect(await getOutcome(on.readResource('note://open'))).toBe(
      '-32603: Not done: the audit record could not be written',
    );
    expect(ran).toEqual(['say before']);
    expect(errors.map(({ code }) => code)).toContain('audit/failed');
  });
});
