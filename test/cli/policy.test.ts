import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon } from './command.js';

describe('tenon policy', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    const rules = [
      { allow: 'notes/remove', user: { groups: ['admins'], scopes: ['notes:write'], claims: { tenant: 'acme' } } },
      { action: 'deny' },
    ];
    const quotas = [{ per: ['principal'], calls: 10, window: '1h', match: { tool: 'remove', prompt: 'remove' } }];
    await project.write('policy.json', { rules, rateLimits: [{ perSecond: 5 }] });
    await project.write('odd.json', { rules, quotas });
  });
  afterAll(() => project.remove());
  const run = (...args: string[]) => runTenon(project.folder, ['policy', ...args]);

  it('explains a rule about the token of a user, and the quotas [cli.explain]', async () => {
    const explain = (...user: string[]) => run('explain', 'policy.json', 'notes/remove', ...user);
    const ada = ['--principal', 'ada', '--groups', 'staff,admins', '--claims', '{"tenant":"acme"}'];
    const user = [...ada, '--scopes', 'notes:write'];
    const { out, code } = await runTenon(project.folder, ['policy', 'explain', 'policy.json', 'notes/remove', ...user]);
    expect(code).toBe(0);
    expect(out).toContain('→ allowed by rule 1\nquota 1, no more than 5 calls in 1000 ms, counts this call');
    expect((await explain(...ada)).out).toContain('fits\n→ denied by rule 2');
    expect((await explain(...ada)).out).toContain('the token does not have the scope notes:write');
    expect((await explain()).out).toContain('1. allow {"server":"notes","name":"remove"');
    expect((await explain()).out).toContain('the caller is anonymous');
    expect(await explain('--groups', 'admins')).toMatchObject({ code: 2, err: expect.stringContaining('--principal') });
  });

  it.each([
    ['{"readOnlyHint":"yes"}', 'readOnlyHint is "yes". Write {"readOnlyHint":true} or {"readOnlyHint":false}'],
    ['{"destructiveHint":null}', 'destructiveHint is null'],
    ['{"title":1}', 'title is 1. Write a text'],
    ['{"readonlyHint":true}', 'unknown annotation "readonlyHint". Use readOnlyHint, '],
    ['[]', '--annotations are not a JSON object'],
  ])('refuses the annotations %s, which would count as the defaults', async (annotations, message) => {
    const explain = (text: string) => run('explain', 'policy.json', 'notes/remove', '--annotations', text);
    expect(await explain(annotations)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
    expect((await explain('{"title":"Remove","readOnlyHint":true}')).code).toBe(0);
  });

  it('decides about recorded calls with the names of the default configuration, and for a user [cli.explain]', async () => {
    const line = (id: number, name: string) =>
      JSON.stringify({
        ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name } },
        _meta: { dir: 'send', server: 'gateway', ts: '' },
      });
    await project.write('calls.ndjson', [line(1, 'notes__delete'), line(2, 'notes__add')].join('\n'));
    await project.write('mcp.json', {
      mcpServers: { notes: { command: `\${NO_SUCH_VARIABLE}`, tools: { overrides: { remove: { name: 'delete' } } } } },
    });
    const decide = async (...user: string[]) => {
      const args = ['gateway', '--dry-run', 'calls.ndjson', '--policy', 'policy.json', '--json', ...user];
      return JSON.parse((await runTenon(project.folder, args)).out).calls;
    };
    const ada = [
      '--principal',
      'ada',
      '--groups',
      'admins',
      '--scopes',
      'notes:write',
      '--claims',
      '{"tenant":"acme"}',
    ];
    expect(await decide(...ada)).toMatchObject([
      { server: 'notes', name: 'remove', action: 'allow', rule: 1 },
      { server: 'notes', name: 'add', action: 'deny', rule: 2 },
    ]);
    expect(await decide()).toMatchObject([{ action: 'deny', rule: 2 }, { action: 'deny' }]);
  });

  it('lists the recorded calls about which a changed policy decides differently [con.policy]', async () => {
    await project.write('changed.json', { rules: [{ allow: 'notes/add' }, { action: 'deny' }] });
    const args = ['try', 'policy.json', 'changed.json', 'calls.ndjson'];
    const { out, code } = await run(...args);
    expect(code).toBe(0);
    expect(out).toBe(
      'line 2   deny → allow   tool notes/add   allowed by rule 1\n\n' +
        'calls.ndjson: 2 calls, 1 decision changed: allow 0 → 1, ask 0 → 0, deny 2 → 1\n',
    );
    expect(JSON.parse((await run(...args, '--json')).out)).toMatchObject({ calls: 2, changes: [{ line: 2 }] });
    expect((await run('try', 'policy.json', 'policy.json', 'calls.ndjson')).out).toContain('no decision changes');
  });

  it('finds quotas that count nothing [cli.explain]', async () => {
    const lint = await runTenon(project.folder, ['policy', 'lint', 'odd.json', '--no-lock']);
    expect(lint).toMatchObject({ code: 1, out: expect.stringContaining('odd.json: quota 1 counts no call') });
    expect((await run('lint', 'policy.json', '--no-lock')).out).toBe('policy.json: 2 rules, 1 quota, no findings\n');
  });

  it('prints the JSON Schema of policy files', async () => {
    const { out } = await run('schema');
    expect(JSON.parse(out)).toMatchObject({
      title: 'Tenon policy',
      properties: { rules: {}, quotas: {}, rateLimits: {} },
    });
  });
});
