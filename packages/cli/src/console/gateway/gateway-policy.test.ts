import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionsView, ExplanationView, PolicyTrialView, PolicyView } from '@tenon/console/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestConsole } from '../fixtures/console-page.js';
import { createPolicyGateway, type PolicyGateway } from '../fixtures/policy-gateway.js';

let folder: string;
let gateway: PolicyGateway;
let page: Awaited<ReturnType<typeof openTestConsole>>;
const RULES = `{
  // Nobody changes the archive.
  "rules": [
    { "deny": "notes/*", "arguments": { "title": "secret*" }, "because": "titles are public" },
    { "allow": "notes/*" },
  ],
}
`;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-policy-'));
  await writeFile(join(folder, 'policy.json'), RULES);
  gateway = await createPolicyGateway(join(folder, 'policy.json'));
  page = await openTestConsole(gateway.console);
});
afterAll(async () => {
  await page.close();
  await gateway.host.close();
  await rm(folder, { recursive: true, maxRetries: 10 });
});

const read = async <T>(path: string): Promise<T> => (await page.send('GET', path)).json() as Promise<T>;
const post = async <T>(path: string, body: object): Promise<T> =>
  (await page.send('POST', path, body)).json() as Promise<T>;

it('lists the decisions about the calls of all callers, and explains each as the command does [con.policy]', async () => {
  await gateway.host.callTool('notes__add', { title: 'secret plan', token: 'sk-live-0123456789abcdefghijkl' });
  await gateway.host.callTool('notes__add', { title: 'shopping' });
  const { count, decisions } = await read<DecisionsView>('policy/decisions');
  expect(count).toBe(2);
  expect(decisions).toMatchObject([
    { server: 'notes', name: 'add', action: 'allow', rule: 2, caller: {} },
    { server: 'notes', name: 'add', action: 'deny', rule: 1, reason: 'denied by rule 1: titles are public' },
  ]);
  expect((await read<DecisionsView>('policy/decisions?action=deny&text=NOTES')).count).toBe(1);
  expect((await read<DecisionsView>('policy/decisions?text=nothing')).count).toBe(0);
  const { decision, explanation } = await read<ExplanationView>(`policy/explain?decision=${decisions[1]?.id}`);
  expect(decision).toMatchObject({ action: 'deny' });
  expect(explanation).toMatch(/^1\. deny .*title.*: fits\n→ denied by rule 1: titles are public/m);
  expect(explanation).not.toContain('sk-live');
  expect(await read('policy/explain?decision=99')).toMatchObject({ error: { code: 'console/unknown' } });
});

it('explains a call of the page by the decision about it [con.policy]', async () => {
  const params = { name: 'notes__add', arguments: { title: 'secret' } };
  const { id } = await page.call('POST', 'calls', { server: 'notes', method: 'tools/call', params });
  await page.waitFor('call', ({ call }) => call.id === id && call.took !== null);
  expect(await read(`policy/explain?call=${id}`)).toMatchObject({
    decision: { action: 'deny', rule: 1 },
    explanation: expect.stringContaining('"title":"secret"'),
  });
});

it('tries changed rules on the decisions so far, and changes nothing [con.policy]', async () => {
  const text = RULES.replace('"secret*"', '"secret"');
  const trial = await post<PolicyTrialView>('policy/try', { text });
  expect(trial).toMatchObject({
    calls: 3,
    changed: 1,
    untried: 0,
    changes: [
      {
        server: 'notes',
        name: 'add',
        before: { action: 'deny', rule: 1 },
        after: { action: 'allow', rule: 2, reason: 'allowed by rule 2' },
      },
    ],
    counts: { before: { allow: 1, ask: 0, deny: 2 }, after: { allow: 2, ask: 0, deny: 1 } },
  });
  expect(await readFile(join(folder, 'policy.json'), 'utf8')).toBe(RULES);
  expect((await post<PolicyTrialView>('policy/try', { text: RULES })).changes).toEqual([]);
  expect(await post('policy/try', { text: '{ "rules": [{ "deny": "notes" }] }' })).toMatchObject({
    error: { code: 'policy/rule', cause: expect.stringContaining('changed policy:1:') },
  });
  expect(await post('policy/try', {})).toMatchObject({ error: { code: 'cli/usage' } });
});

it('tries changed rules on a recording that is open [con.policy]', async () => {
  const call = (id: number, title: string) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'notes__add', arguments: { title } },
      _meta: { dir: 'send', server: 'gateway', ts: '2026-11-27T10:00:00Z' },
    });
  const text = [call(1, 'secret'), call(2, 'secret plan'), call(3, 'a')].join('\n');
  const { name } = await page.call('POST', 'recordings/open', { name: 'calls.ndjson', text });
  const changed = RULES.replace('"secret*"', '"secret"');
  const trial = await post<PolicyTrialView>('policy/try', { text: changed, recording: name });
  expect(trial).toMatchObject({ calls: 3, changed: 1, changes: [{ name: 'add', after: { action: 'allow' } }] });
});

it('saves rules into the policy file, and applies them to the next call [con.policy]', async () => {
  const { text, digest, rules, file, isReloaded } = await read<PolicyView>('policy');
  expect({ text, rules, file, isReloaded }).toEqual({
    text: RULES,
    rules: 2,
    file: join(folder, 'policy.json'),
    isReloaded: true,
  });
  const changed = RULES.replace('"secret*"', '"secret"');
  expect(await post<PolicyView>('policy', { text: changed, digest })).toMatchObject({ text: changed, rules: 2 });
  expect(await readFile(join(folder, 'policy.json'), 'utf8')).toBe(changed);
  expect(await gateway.host.callTool('notes__add', { title: 'secret plan' })).not.toMatchObject({ isError: true });
  expect(page.screen()).toContain('saved in the console');
});

it('does not save over a change of somebody else, nor invalid rules [con.policy]', async () => {
  const { digest, text } = await read<PolicyView>('policy');
  expect(await post('policy', { text: '{ "rules": 1 }', digest })).toMatchObject({ error: { code: 'policy/rule' } });
  expect(await post('policy', { text: RULES, digest: 'old' })).toMatchObject({ error: { code: 'console/changed' } });
  expect((await read<PolicyView>('policy')).text).toBe(text);
});

it('tries and saves the rules of a file with a byte order mark, as the gateway reads it', async () => {
  await writeFile(join(folder, 'policy.json'), `\uFEFF${RULES}`);
  const { text, digest } = await read<PolicyView>('policy');
  expect((await post<PolicyTrialView>('policy/try', { text })).counts.after).toBeDefined();
  expect(await post<PolicyView>('policy', { text, digest })).toMatchObject({ text: RULES, rules: 2 });
});

it('refuses a trial and a change of the policy of a page that is read-only', async () => {
  for (const path of ['policy/try', 'policy']) {
    const { status } = await fetch(`${page.origin}/api/${path}`, {
      method: 'POST',
      headers: { 'x-tenon-token': page.readOnlyToken, 'content-type': 'application/json' },
      body: JSON.stringify({ text: RULES }),
    });
    expect(status).toBe(403);
  }
});
