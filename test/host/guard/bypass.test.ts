import { join } from 'node:path';
import { allow, ask, deny, type NodeHostOptions, type Rule } from '@tenon/host';
import { type Client, type ClientOptions, connect, createServer, TenonError } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTool, createMeta, type WireResponse } from '../../input-requests/wire.js';
import {
  collectNotifications,
  createFolder,
  getOutcome,
  readAuditMethods,
  startGuardedHost,
  VERSIONS,
  WITH_FORMS,
} from './guarded-host.js';
import { createWorksServer } from './works-server.js';

const refused = /^refused: Not done: denied by rule \d: no$/;
const rejected = /^-1: Not done: denied by rule \d: no$/;
const rules: readonly Rule[] = [
  deny({ tool: ['erase', 'later', 'sure', 'replays'], because: 'no' }),
  deny({ resource: ['note://secret/*', 'note://box/*'], because: 'no' }),
  deny({ prompt: '*', because: 'no' }),
  deny({ tool: 'route', arguments: { region: 'moon' }, because: 'no' }),
  allow(),
];

async function ruled(options: Partial<NodeHostOptions> = {}, both = false) {
  const [one, two] = [createWorksServer(), createWorksServer()];
  const servers = { one: { service: one.server }, ...(both ? { two: { service: two.server } } : {}) };
  return { ...(await startGuardedHost({ servers, policy: rules, ...options })), ran: one.ran, ranInTwo: two.ran };
}

const yes: NonNullable<ClientOptions['elicit']> = ({ message }) => ({
  action: 'accept',
  content: message.startsWith('Allow to') ? { decision: 'once' } : { yes: true },
});

describe.each(VERSIONS)('a denied call, in %s', protocolVersion => {
  it.each(['erase', 'later', 'sure', 'replays'])('does not run: the tool %s', async name => {
    const { client, ran } = await ruled();
    const on = await client({ protocolVersion, elicit: yes });
    expect(await getOutcome(on.callTool(name, { path: 'a' }))).toMatch(refused);
    expect(ran).toEqual([]);
  });

  it('does not run: a resource, a prompt, their completions', async () => {
    const { client, ran } = await ruled();
    const on = await client({ protocolVersion, elicit: yes });
    const prompt = { type: 'ref/prompt' as const, name: 'draft' };
    const box = { type: 'ref/resource' as const, uri: 'note://box/{id}' };
    const all = [
      on.readResource('note://secret/plan'),
      on.readResource('note://box/a'),
      on.call('prompts/get', { name: 'draft', arguments: { who: 'ada' } }),
      on.call('completion/complete', { ref: prompt, argument: { name: 'who', value: '' } }),
      on.call('completion/complete', { ref: box, argument: { name: 'id', value: '' } }),
    ];
    for (const each of all) expect(await getOutcome(each)).toMatch(rejected);
    expect(ran).toEqual([]);
  });
});

describe('denied resources', () => {
  it.each(VERSIONS.slice(0, 4))('cannot be watched by a subscription of %s', async protocolVersion => {
    const { client } = await ruled();
    const on = await client({ protocolVersion });
    for (const uri of ['note://secret/plan', 'note://box/a'])
      expect(await getOutcome(on.call('resources/subscribe', { uri }))).toMatch(rejected);
    expect(await getOutcome(on.call('resources/subscribe', { uri: 'note://open' }))).toBe('');
  });

  it('cannot be watched by subscriptions/listen', async () => {
    const { host } = await ruled();
    expect(await collectNotifications(host, 'note://secret/plan', 'note://open', 'note://box/a')).toEqual([
      'note://open',
    ]);
  });
});

describe('another spelling of a denied URI', () => {
  const plan = 'note://secret/plan';
  const spellings = [
    plan,
    'NOTE://secret/plan',
    'Note://SECRET/plan',
    'note://secret/%70lan',
    'note://secret/%2570lan',
    'note://secret/./plan',
    'note://secret/x/../plan',
    'note://secret/x/%2e%2e/plan',
    'note://open/../secret/plan',
    'note://secret//plan',
    'note://secret/plan?',
    'note://secret/plan#x',
    'note:/secret/plan',
    ' note://secret/plan',
    'note://box/%61',
    'NOTE://box/a',
  ];
  it.each(spellings)('is denied: %s', async uri => {
    const { client, ran } = await ruled();
    const on = await client();
    expect(await getOutcome(on.readResource(uri))).toMatch(/^-/);
    expect(ran).toEqual([]);
  });

  it.each([...spellings.slice(0, 12), 'tenon:two/note://secret/plan'])(
    'is denied in wrapped form: tenon:one/%s',
    async uri => {
      const { client, ran, ranInTwo } = await ruled({}, true);
      const on = await client();
      for (const scheme of ['tenon:one/', 'TENON:one/', 'tenon:ONE/', 'tenon:%6fne/', 'tenon:one;ip/'])
        expect(await getOutcome(on.readResource(`${scheme}${uri}`))).toMatch(/^-/);
      expect([ran, ranInTwo]).toEqual([[], []]);
      await on.readResource('tenon:one/note://open');
      expect(ran).toEqual(['read open']);
    },
  );

  it('reaches another server that is allowed when it is wrapped for it', async () => {
    const policy = [deny({ server: 'one', resource: '*', because: 'no' }), allow()];
    const { client, ran, ranInTwo } = await ruled({ policy }, true);
    const on = await client();
    expect(await getOutcome(on.readResource('tenon:one/note://secret/plan'))).toMatch(rejected);
    await on.readResource('tenon:two/note://secret/plan');
    expect([ran, ranInTwo]).toEqual([[], ['read plan']]);
  });
});

describe('the meta tools of a budget', () => {
  it.each(VERSIONS)('apply the policy to the called tool, in %s', async protocolVersion => {
    const audit = join(await createFolder(), 'audit');
    const { client, ran, host } = await ruled({ budget: 1, audit });
    const on = await client({ protocolVersion, elicit: yes });
    for (const name of ['erase', 'later', 'sure', 'replays'])
      expect(await getOutcome(on.callTool('call_tool', { name, arguments: { path: 'a' } }))).toMatch(refused);
    expect(await getOutcome(on.callTool('call_tool', { name: 'say', arguments: { text: 'hi' } }))).toBe('say hi');
    expect(ran).toEqual(['say hi']);
    await host.close();
    const denied = ['erase', 'later', 'sure', 'replays'].map(name => `denied ${name}`);
    expect(await readAuditMethods(audit)).toEqual([...denied, 'called say', 'answered say']);
  });

  it('ignore rules about their own names and arguments', async () => {
    const policy = [deny({ tool: 'erase', because: 'no' }), allow('*/call_tool'), allow()];
    const { client, ran } = await ruled({ policy, budget: 1 });
    const on = await client();
    const more = { name: 'erase', arguments: { path: 'a' }, _meta: {}, task: {}, server: 'other' };
    expect(await getOutcome(on.callTool('call_tool', more))).toMatch(/^refused: |^-32602/);
    const twice = { name: 'call_tool', arguments: { name: 'erase', arguments: { path: 'a' } } };
    expect(await getOutcome(on.callTool('call_tool', twice))).toMatch(/^refused: |^-32602/);
    expect(ran).toEqual([]);
  });

  it.each(WITH_FORMS)('ask about the inner call, in %s', async protocolVersion => {
    const { client, ran } = await ruled({ policy: [ask('one/erase'), allow()], budget: 1 });
    const requests: string[] = [];
    const elicit: typeof yes = (form, about) => {
      requests.push(form.message);
      return yes(form, about);
    };
    const on = await client({ protocolVersion, elicit });
    await on.callTool('call_tool', { name: 'erase', arguments: { path: 'a' } });
    expect(requests).toEqual([expect.stringContaining('Allow to call the tool erase of one?\n{"path":"a"}')]);
    expect(ran).toEqual(['erase a']);
  });

  it('accept the approval for the approved inner call only', async () => {
    const { host, ran } = await ruled({ policy: [ask('one/erase'), allow()], budget: 1 });
    const forms = { capabilities: { elicitation: {} } };
    const inside = (path: string) => ({ arguments: { name: 'erase', arguments: { path } } });
    const first = await callTool(host.toServer(), 'call_tool', inside('a'), forms);
    const inputResponses = answersOf(first);
    const requestState = first.result?.requestState as string;
    const answer = await callTool(
      host.toServer(),
      'call_tool',
      { ...inside('b'), requestState, inputResponses },
      forms,
    );
    expect(answer.error?.code).toBe(-32602);
    expect(ran).toEqual([]);
  });
});

function answersOf({ result }: WireResponse) {
  const keys = Object.keys(result?.inputRequests ?? {});
  return Object.fromEntries(keys.map(key => [key, { action: 'accept', content: { decision: 'once', yes: true } }]));
}

describe('a repeated call with an approval', () => {
  const forms = { capabilities: { elicitation: {} } };

  it('is denied with denied arguments', async () => {
    const policy = [deny({ tool: '*', arguments: { path: '/etc/*' }, because: 'no' }), allow()];
    for (const name of ['sure', 'replays']) {
      const { host, ran } = await ruled({ policy });
      const first = await callTool(host.toServer(), name, { arguments: { path: 'a' } }, forms);
      expect(first.result?.resultType).toBe('input_required');
      const more = { requestState: first.result?.requestState as string, inputResponses: answersOf(first) };
      const answer = await callTool(host.toServer(), name, { arguments: { path: '/etc/passwd' }, ...more }, forms);
      expect(answer.error?.code === -32602 || answer.result?.isError).toBe(true);
      expect(ran).toEqual([]);
    }
  });

  it('is evaluated again, and denied if the policy changed', async () => {
    let action: 'allow' | 'deny' = 'allow';
    const evaluate = () => ({ action, reason: 'no', rule: 0 });
    const policy = { evaluate, explain: () => '' } as unknown as NonNullable<NodeHostOptions['policy']>;
    const { host, ran } = await ruled({ policy });
    const first = await callTool(host.toServer(), 'replays', { arguments: { path: 'a' } }, forms);
    action = 'deny';
    const more = { requestState: first.result?.requestState as string, inputResponses: answersOf(first) };
    const answer = await callTool(host.toServer(), 'replays', { arguments: { path: 'a' }, ...more }, forms);
    expect(answer.result).toMatchObject({ isError: true, content: [{ text: 'Not done: no' }] });
    expect(ran).toEqual([]);
  });
});

describe('tasks of a host', () => {
  it.each(['2025-11-25', '2026-07-28'])('are not created for a denied call, in %s', async protocolVersion => {
    const { client, ran } = await ruled();
    const on = await client({ protocolVersion, elicit: yes });
    expect(await getOutcome(on.tasks.start('later', { path: 'a' }).then(task => task.toolResult()))).toMatch(refused);
    expect(ran).toEqual([]);
  });

  it.each([
    ['2025-11-25', 'once'],
    ['2025-11-25', 'deny'],
    ['2026-07-28', 'once'],
    ['2026-07-28', 'deny'],
  ] as const)(
    'ask for approval inside the task, in %s: %s [ext-tasks.input-trust-model]',
    async (protocolVersion, decision) => {
      const audit = join(await createFolder(), 'audit');
      const { client, host, ran } = await ruled({ policy: [ask('one/later'), allow()], audit });
      const requests: string[] = [];
      const on = await client({
        protocolVersion,
        elicit({ message }) {
          requests.push(message);
          return { action: 'accept', content: { decision } };
        },
      });
      const text = await getOutcome(on.tasks.start('later', { path: 'a' }).then(task => task.toolResult()));
      expect(requests).toEqual([expect.stringContaining('Allow to call the tool later of one?')]);
      await host.close();
      const events = await readAuditMethods(audit);
      if (decision === 'once') {
        expect([text, ran]).toEqual(['later a', ['later a']]);
        expect(events).toEqual(['asked later', 'allowed later', 'called later', 'answered later']);
      } else {
        expect([/^refused/.test(text), ran]).toEqual([true, []]);
        expect(events).toEqual(['asked later', 'denied later']);
      }
    },
  );
});

describe('headers that mirror a call, over HTTP', () => {
  async function posted(
    headers: Record<string, string>,
    name: string,
    args: object,
  ): Promise<[number, string, string[]]> {
    const { host, ran } = await ruled();
    const serving = await serveHttp(host.toServer(), { port: 0, onError: () => {} } as never);
    onTestFinished(() => serving.close());
    const outcome = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...headers,
    };
    const params = { name, arguments: args, _meta: createMeta({}) };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const response = await fetch(serving.url, { method: 'POST', headers: outcome, body });
    return [response.status, await response.text(), ran];
  }

  it('match the evaluated arguments, or the call is refused', async () => {
    const [status, text, ran] = await posted({ 'mcp-param-region': 'moon' }, 'route', { region: 'moon' });
    expect([status, ran]).toEqual([200, []]);
    expect(text).toContain('Not done: denied by rule 4: no');
    const [fine, , went] = await posted({ 'mcp-param-region': 'earth' }, 'route', { region: 'earth' });
    expect([fine, went]).toEqual([200, ['route earth']]);
  });

  it.each([
    ['the argument', { 'mcp-param-region': 'earth' }, 'route', { region: 'moon' }],
    ['the argument, the other way round', { 'mcp-param-region': 'moon' }, 'route', { region: 'earth' }],
    ['the name', { 'mcp-name': 'say' }, 'erase', { path: 'a' }],
    ['the method', { 'mcp-method': 'tools/list' }, 'erase', { path: 'a' }],
  ])('are refused when they differ: %s', async (_, headers, name, args) => {
    const [status, , ran] = await posted(headers as Record<string, string>, name, args);
    expect([status, ran]).toEqual([400, []]);
  });
});

describe('a tool that the configuration excludes', () => {
  it('cannot be called', async () => {
    const { server, ran } = createWorksServer();
    const tools = { exclude: ['Erase', 'L*'], include: ['*a*'] };
    const { client } = await startGuardedHost({ servers: { one: { service: server, tools } } });
    const on: Client = await client();
    for (const name of ['erase', 'later', 'sure'])
      expect(await getOutcome(on.callTool(name, { path: 'a' }))).toBe(
        'refused: Not done: the configuration of the server "one" disables it',
      );
    expect(await getOutcome(on.callTool('nothing', {}))).toBe(
      '-32602: Unknown tool: nothing. Choose a name from tools/list',
    );
    expect(await getOutcome(on.callTool('sey', {}))).toBe('-32602: Unknown tool: sey. Did you mean "say"?');
    expect(await getOutcome(on.callTool('erasee', {}))).toBe(
      '-32602: Unknown tool: erasee. Choose a name from tools/list',
    );
    expect(await getOutcome(on.callTool('say', { text: 'hi' }))).toBe('say hi');
    expect(ran).toEqual(['say hi']);
  });
});

describe('entries of several servers that are not offered', () => {
  it.each(['always', 'never'] as const)('are listed with the reason, with prefix %s', async prefix => {
    const [one, two] = [createWorksServer(), createWorksServer()];
    const path = join(await createFolder(), 'audit.jsonl');
    const servers = {
      one: { service: one.server, tools: { exclude: ['erase'] } },
      two: { service: two.server, disabled: true },
      three: { service: createServer({ name: 'three', version: '1', tools: {} }) },
    };
    const { client, host } = await startGuardedHost({ servers, prefix, audit: path });
    const on = await client();
    const name = prefix === 'always' ? 'one__erase' : 'erase';
    const reason = 'Not done: the configuration of the server "one" disables it';
    expect(await getOutcome(on.callTool(name, { path: 'a' }))).toBe(`refused: ${reason}`);
    expect(await getOutcome(on.callTool('two__erase', { path: 'a' }))).toBe(
      '-32602: Unknown tool: two__erase. Choose a name from tools/list. The server "two" is disabled',
    );
    await host.close();
    expect(await readAuditMethods(path)).toEqual(['denied erase', 'refused two__erase']);
    expect([...one.ran, ...two.ran]).toEqual([]);
  });
});

it('names the disabled server of a tool when all other servers are unavailable', async () => {
  const servers = {
    gone: { command: '/no/such/program' },
    two: { service: createWorksServer().server, disabled: true },
  };
  const { client } = await startGuardedHost({ servers });
  expect(await getOutcome((await client()).callTool('two__erase', {}))).toBe(
    '-32602: Unknown tool: two__erase. Choose a name from tools/list. The server "two" is disabled',
  );
});

describe('the client of a host', () => {
  it('follows the same policy', async () => {
    const { host, ran } = await ruled();
    expect(await getOutcome(host.callTool('erase', { path: 'a' }))).toMatch(refused);
    const other = await connect(host.toServer({ servers: ['one'] }));
    onTestFinished(() => other.close());
    expect(await getOutcome(other.callTool('erase', { path: 'a' }))).toMatch(refused);
    await expect(host.client.readResource('note://secret/plan')).rejects.toSatisfy(
      error => TenonError.from(error).rpcCode === -1,
    );
    expect(ran).toEqual([]);
  });
});
