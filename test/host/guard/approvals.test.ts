import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Approvals, allow, ask, createApprovals, type NodeHostOptions, type PendingApproval } from '@tenon/host';
import type { ClientOptions } from 'tenon';
import { sqliteStores } from 'tenon/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryStores } from '../../../packages/tenon/src/stores/memory-stores.js';
import { callTool, type WireResponse } from '../../input-requests/wire.js';
import { retryUntilPasses } from '../../interop/retry.js';
import { bundle } from '../../support/bundle.js';
import { createFolder, getOutcome, readAuditMethods, startGuardedHost, WITH_FORMS } from './guarded-host.js';
import { createWorksServer } from './works-server.js';

const policy = [ask('*/erase'), ask('*/later'), ask('*/sure'), ask('*/replays'), allow()];

/** Two servers with the same tools, of which the dangerous ones are asked about. */
async function asking(options: Partial<NodeHostOptions> = {}) {
  const [one, two] = [createWorksServer(), createWorksServer()];
  const servers = { one: { service: one.server }, two: { service: two.server } };
  const setup = await startGuardedHost({ servers, policy, ...options });
  return { ...setup, ran: one.ran, ranInTwo: two.ran };
}

type UserDecision = 'once' | 'always' | 'deny' | 'decline' | 'cancel';

/** A user who says this when asked to allow, and yes to all else. */
function user(says: UserDecision) {
  const requests: string[] = [];
  const elicit: NonNullable<ClientOptions['elicit']> = ({ message }) => {
    requests.push(message);
    if (!message.startsWith('Allow to')) return { action: 'accept', content: { yes: true } };
    if (says === 'decline' || says === 'cancel') return { action: says };
    return { action: 'accept', content: { decision: says } };
  };
  return { requests, elicit };
}

/** The only approval that waits, once it does. */
const pending = (approvals: Approvals): Promise<PendingApproval> =>
  retryUntilPasses(async () => {
    const pending = await approvals.listPending();
    expect(pending).toHaveLength(1);
    return pending[0] as PendingApproval;
  });

describe.each(WITH_FORMS)('approval by the user of the caller, with a form in %s', protocolVersion => {
  it.each(['erase', 'later', 'sure', 'replays'])(
    'runs %s once, after one request [tools.host.confirmation]',
    async name => {
      const audit = join(await createFolder(), 'audit.jsonl');
      const { client, ran, host } = await asking({ audit });
      const { requests, elicit } = user('once');
      const on = await client({ protocolVersion, elicit });
      expect(await getOutcome(on.callTool(`one__${name}`, { path: 'a' }))).toContain(`${name} a`);
      expect(ran).toHaveLength(1);
      expect(requests.filter(message => message.startsWith('Allow to'))).toEqual([
        expect.stringContaining(`Allow to call the tool ${name} of one?\n{"path":"a"}`),
      ]);
      await host.close();
      // The round in which the server requests input ends with its own line.
      const isAsked = name === 'sure' || name === 'replays';
      const rounds = isAsked && protocolVersion >= '2026-07-28' ? ['answered', 'answered'] : ['answered'];
      const events = ['asked', 'allowed', 'called', ...rounds].map(event => `${event} ${name}`);
      expect(await readAuditMethods(audit)).toEqual(events);
    },
  );

  it.each(['deny', 'decline', 'cancel'] as const)('does not run after %s [tools.host.human-in-loop]', async says => {
    const { client, ran, host } = await asking();
    const { requests, elicit } = user(says);
    const on = await client({ protocolVersion, elicit });
    expect(await getOutcome(on.callTool('one__erase', { path: 'a' }))).toMatch(/^refused: Not done: /);
    expect([requests.length, ran]).toEqual([1, []]);
    expect(await host.approvals.listPending()).toEqual([]);
  });

  it('applies to one call once, and others are asked about again', async () => {
    const { client, ran } = await asking();
    const { requests, elicit } = user('once');
    const on = await client({ protocolVersion, elicit });
    for (const path of ['a', 'b', 'a']) await on.callTool('one__erase', { path });
    expect([requests.length, ran]).toEqual([3, ['erase a', 'erase b', 'erase a']]);
  });

  it('applies to one tool of one server after `always`', async () => {
    const { client, host, ran, ranInTwo } = await asking();
    const { requests, elicit } = user('always');
    const on = await client({ protocolVersion, elicit });
    for (const path of ['a', 'b']) await on.callTool('one__erase', { path });
    expect([requests.length, ran]).toEqual([1, ['erase a', 'erase b']]);
    await on.callTool('two__erase', { path: 'a' });
    await on.callTool('one__later', { path: 'a' });
    expect([requests.length, ranInTwo]).toEqual([3, ['erase a']]);
    for (const { id } of await host.approvals.listStored()) await host.approvals.forget(id);
    await on.callTool('one__erase', { path: 'c' });
    expect(requests).toHaveLength(4);
  });
});

describe('requestState of an approval on 2026-07-28', () => {
  const content = { decision: 'once' };
  const retry = ({ result }: WireResponse, path: string) => ({
    arguments: { path },
    requestState: result?.requestState as string,
    inputResponses: Object.fromEntries(
      Object.keys(result?.inputRequests ?? {}).map(key => [key, { action: 'accept', content }]),
    ),
  });
  const forms = { capabilities: { elicitation: {} } };

  it('is accepted for the approved call, once', async () => {
    const { host, ran } = await asking();
    const server = host.toServer();
    const first = await callTool(server, 'one__erase', { arguments: { path: 'a' } }, forms);
    expect(ran).toEqual([]);
    expect(await callTool(server, 'one__erase', retry(first, 'a'), forms)).toMatchObject({
      result: { content: [{ text: 'erase a' }] },
    });
    expect((await callTool(server, 'one__erase', retry(first, 'a'), forms)).error?.code).toBe(-32602);
    expect(ran).toEqual(['erase a']);
  });

  it.each([
    ['other arguments', 'one__erase', 'b', {}],
    ['another tool', 'one__later', 'a', {}],
    ['the tool of that name of another server', 'two__erase', 'a', {}],
    ['another principal', 'one__erase', 'a', { principal: 'eve' }],
  ])('is refused for another call: %s', async (_, name, path, response) => {
    const { host, ran, ranInTwo } = await asking();
    const server = host.toServer();
    const ada = { ...forms, principal: 'ada' };
    const first = await callTool(server, 'one__erase', { arguments: { path: 'a' } }, ada);
    expect((await callTool(server, name, retry(first, path), { ...ada, ...response })).error?.code).toBe(-32602);
    expect([ran, ranInTwo]).toEqual([[], []]);
  });

  it('is required for a response', async () => {
    const { host, ran } = await asking();
    const answers = { arguments: { path: 'a' }, inputResponses: { 'ask-0': { action: 'accept', content } } };
    const answer = await callTool(host.toServer(), 'one__erase', answers, forms);
    expect(answer.result?.resultType ?? answer.error?.code).toEqual(expect.toBeOneOf(['input_required', -32602]));
    expect(ran).toEqual([]);
  });
});

describe('a call of a caller who cannot be asked', () => {
  const nobody = { capabilities: {} };
  const erase = (path: string) => ({ arguments: { path } });

  it('waits in the store until an operator decides [tools.host.human-in-loop]', async () => {
    const { host, ran } = await asking();
    const calling = callTool(host.toServer(), 'one__erase', erase('a'), nobody);
    const approval = await pending(host.approvals);
    expect(approval).toMatchObject({ kind: 'tool', server: 'one', name: 'erase' });
    expect(ran).toEqual([]);
    await host.approvals.answer(approval.id, 'allow');
    expect(await calling).toMatchObject({ result: { content: [{ text: 'erase a' }] } });
    expect(await host.approvals.listPending()).toEqual([]);
  });

  it('is approved for its arguments, principal and server only, and once', async () => {
    const { host, ran, ranInTwo } = await asking();
    const server = host.toServer();
    const ada = { ...nobody, principal: 'ada' };
    const calls = [callTool(server, 'one__erase', erase('a'), ada)];
    await host.approvals.answer((await pending(host.approvals)).id, 'allow');
    await Promise.all(calls);
    const others = [
      callTool(server, 'one__erase', erase('b'), ada),
      callTool(server, 'one__erase', erase('a'), { ...nobody, principal: 'eve' }),
      callTool(server, 'two__erase', erase('a'), ada),
      callTool(server, 'one__erase', erase('a'), ada),
    ];
    await retryUntilPasses(async () => expect(await host.approvals.listPending()).toHaveLength(others.length));
    expect([ran, ranInTwo]).toEqual([['erase a'], []]);
    for (const { id } of await host.approvals.listPending()) await host.approvals.answer(id, 'deny', { by: 'Grace' });
    for (const answer of await Promise.all(others)) {
      expect(answer.result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('denied by Grace') }],
      });
    }
    expect([ran, ranInTwo]).toEqual([['erase a'], []]);
  });

  it('is approved by a remembered pattern that matches', async () => {
    const { host, ran } = await asking();
    const server = host.toServer();
    const first = callTool(server, 'one__erase', erase('/tmp/a'), nobody);
    const remember = { arguments: { path: '/tmp/*' } };
    await host.approvals.answer((await pending(host.approvals)).id, 'allow', { remember });
    await first;
    await callTool(server, 'one__erase', erase('/tmp/b'), nobody);
    expect(ran).toEqual(['erase /tmp/a', 'erase /tmp/b']);
    const other = callTool(server, 'one__erase', erase('/etc/passwd'), nobody);
    await host.approvals.answer((await pending(host.approvals)).id, 'deny');
    expect((await other).result?.isError).toBe(true);
    expect(ran).toHaveLength(2);
  });

  it('is denied when no operator decides in time', async () => {
    const approvals = createApprovals({ ...memoryStores(), ttl: 40 });
    const { host, ran } = await asking({ approvals });
    const { result } = await callTool(host.toServer(), 'one__erase', erase('a'), nobody);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/no answer within 40 ms/) }],
    });
    expect([ran, await approvals.listPending()]).toEqual([[], []]);
  });

  it('is withdrawn with its approval request when the caller disconnects', async () => {
    const { host, client, ran } = await asking();
    const on = await client();
    const controller = new AbortController();
    const calling = on.callTool('one__erase', { path: 'a' }, { signal: controller.signal });
    const { id } = await pending(host.approvals);
    controller.abort();
    await expect(calling).rejects.toThrow();
    await retryUntilPasses(async () => expect(await host.approvals.listPending()).toEqual([]));
    await expect(host.approvals.answer(id, 'allow')).rejects.toMatchObject({ code: 'policy/no-pending-approval' });
    expect(ran).toEqual([]);
  });

  it('is decided by another process', async () => {
    const path = join(await createFolder(), 'stores.db');
    const stores = await sqliteStores(path);
    onTestFinished(() => stores.close());
    const { host, ran } = await asking({ stores });
    const calling = callTool(host.toServer(), 'one__erase', erase('a'), nobody);
    await pending(host.approvals);
    const program = bundle(new URL('./answering.ts', import.meta.url));
    const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(await calling).toMatchObject({ result: { content: [{ text: 'erase a' }] } });
    expect(ran).toEqual(['erase a']);
  });

  it.each(WITH_FORMS)(
    'asks the user of this process once for a call that requests input itself, in %s',
    async protocolVersion => {
      const seen: string[] = [];
      const { client, ran } = await asking({ approve: ({ name }) => seen.push(name) > 0 });
      const on = await client({ protocolVersion, elicit: user('deny').elicit });
      for (const name of ['sure', 'replays']) await on.callTool(`one__${name}`, { path: 'a' });
      expect(seen).toEqual(['sure', 'replays']);
      expect(ran).toEqual(['sure a accept', 'replays a']);
    },
  );

  it('asks the user of this process before all others', async () => {
    const seen: unknown[] = [];
    const { client, ran } = await asking({
      approve(proposal) {
        seen.push([proposal.server, proposal.name, proposal.arguments]);
        return proposal.arguments.path === 'a';
      },
    });
    const { requests, elicit } = user('once');
    const on = await client({ elicit });
    await on.callTool('one__erase', { path: 'a' });
    expect(await getOutcome(on.callTool('one__erase', { path: 'b' }))).toMatch(/^refused: Not done/);
    expect([requests, ran]).toEqual([[], ['erase a']]);
    expect(seen).toEqual([
      ['one', 'erase', { path: 'a' }],
      ['one', 'erase', { path: 'b' }],
    ]);
  });
});

describe('approval of resources and prompts [security.consent.data-access, security.consent.before-exposure]', () => {
  it.each(WITH_FORMS)('is requested by a form, in %s', async protocolVersion => {
    const { client, ran } = await asking({ policy: [ask()] });
    const { requests, elicit } = user('once');
    const on = await client({ protocolVersion, elicit });
    await on.readResource('tenon:one/note://open');
    await on.call('prompts/get', { name: 'one__draft', arguments: { who: 'ada' } });
    expect(ran).toEqual(['read open', 'draft ada']);
    expect(requests.map(message => message.split('\n')[0])).toEqual([
      'Allow to read the resource note://open of one?',
      'Allow to use the prompt draft of one?',
    ]);
  });

  it.each(WITH_FORMS)('is required before they are returned, in %s', async protocolVersion => {
    const { client, ran } = await asking({ policy: [ask()] });
    const on = await client({ protocolVersion, elicit: user('deny').elicit });
    expect(await getOutcome(on.readResource('tenon:one/note://open'))).toMatch(/^-1: Not done/);
    const work = on.call('prompts/get', { name: 'one__draft', arguments: { who: 'ada' } });
    expect(await getOutcome(work)).toMatch(/^-1: Not done/);
    expect(ran).toEqual([]);
  });

  it('asks for approval of every call without rules [security.consent.tool-invocation]', async () => {
    const seen: string[] = [];
    const { server, ran } = createWorksServer();
    const { client } = await startGuardedHost({
      servers: { one: { service: server } },
      approve: ({ kind, name }) => {
        seen.push(`${kind} ${name}`);
        return false;
      },
    });
    const on = await client();
    await getOutcome(on.callTool('say', { text: 'hello' }));
    await getOutcome(on.readResource('note://open'));
    await getOutcome(on.call('prompts/get', { name: 'draft', arguments: { who: 'ada' } }));
    expect([seen, ran]).toEqual([['tool say', 'resource note://open', 'prompt draft'], []]);
  });
});
