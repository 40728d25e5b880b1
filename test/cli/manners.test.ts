import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, tenon } from './command.js';

describe('every command', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
  });
  afterAll(() => project.remove());

  it.each(['', 'gateway', 'bridge', 'lock', 'policy explain', 'policy lint', 'approvals list', 'audit verify'])(
    'prints help: tenon %s',
    async name => {
      const start = name === '' ? tenon : runTenon;
      const { code, out, err } = await start(project.folder, [...name.split(' ').filter(Boolean), '--help']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Usage: tenon${name === '' ? '' : ` ${name}`} `);
    },
  );

  it.each([
    ['doctor', '(default: 10s)', '(default: stored)'],
    ['bridge', '(default: browser)'],
    ['list', '(default: 60s)', '(default: browser in a terminal, else stored)'],
  ])('states its own defaults: tenon %s --help', async (name, ...defaults) => {
    const { out } = await runTenon(project.folder, [name, '--help']);
    const text = out.replace(/\s+/g, ' ');
    for (const each of defaults) expect(text).toContain(each);
  });

  it('exits with 2 for unknown arguments', async () => {
    for (const args of [
      [],
      ['no-such'],
      ['help', 'no-such'],
      ['gateway', '--no-such'],
      ['gateway', '--port', '99999'],
      ['bridge'],
    ]) {
      const { code, out } = await runTenon(project.folder, args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
    }
  });

  it.each([
    ['gateway', '--bearer'],
    ['gateway', '--bearer-env'],
    ['gateway', '--trust', '--audit', 'audit.jsonl', '--audit-key-env'],
    ['audit', 'verify', 'audit.jsonl', '--key-env'],
    ['bridge', 'https://example.com/mcp', '--bearer'],
    ['bridge', 'https://example.com/mcp', '--bearer-env'],
    ['bridge', 'https://example.com/mcp', '--client-secret-env'],
    ['bridge', 'https://example.com/mcp', '--header'],
    ['bridge', '--pass'],
    ['bridge', '--env'],
    ['bridge', '--bearer-env'],
  ])('does not print a secret that is given where a name belongs: tenon %s %s', async (...args) => {
    await project.write('mcp.json', { mcpServers: { none: { command: 'no-such-program' } } });
    for (const secret of ['0123456789abcdef-the-token', 'looks_like_a_name_0123456789,']) {
      const target = args[0] === 'bridge' && args.length === 2 ? ['--port', '0', '--', process.execPath] : [];
      const servers = args[0] === 'gateway' && !args.includes('--trust') ? ['--trust', '--port', '0'] : [];
      const { code, out, err } = await runTenon(project.folder, [...args, secret, ...servers, ...target]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(args.at(-1));
      expect(err).not.toContain(secret.slice(0, 12));
    }
  });

  it('refuses to listen beyond loopback without authorization', async () => {
    for (const args of [['gateway'], ['gateway', '--stdio', '--port', '0'], ['bridge', '--', process.execPath]]) {
      const { code, out, err } = await runTenon(project.folder, [
        ...args.slice(0, 1),
        '--host',
        '0.0.0.0',
        ...args.slice(1),
      ]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('--host 0.0.0.0: without authorization');
      expect(err).toContain('--allow-unauthenticated');
    }
  });

  it('prints the text of an error, and its stack only on request', async () => {
    const { code, err } = await tenon(project.folder, ['gateway', 'none.json']);
    expect(code).toBe(1);
    expect(err).toMatch(/^tenon: file not found: .*none\.json.*\. [A-Z]/);
    expect(err).not.toContain('    at ');
    const verbose = await runTenon(project.folder, ['gateway', 'none.json', '--verbose']);
    expect(verbose.err).toContain('config/not-found');
    expect(verbose.err).toContain('    at ');
  });

  it('evaluates calls by a policy, and checks the policy itself', async () => {
    await project.write('policy.json', {
      fallback: 'deny',
      rules: [
        { deny: 'notes/remove', because: 'it cannot be undone' },
        { action: 'allow', server: 'notes', readOnly: true },
      ],
    });
    const explain = (...args: string[]) => runTenon(project.folder, ['policy', 'explain', 'policy.json', ...args]);
    const { code, out } = await explain('notes/remove', '{"title":"a","password":"secret-1"}');
    expect(code).toBe(0);
    expect(out).toContain('→ denied by rule 1: it cannot be undone');
    expect(out).not.toContain('secret-1');
    expect(JSON.parse((await explain('notes/show', '--json')).out)).toMatchObject({ action: 'deny' });
    const reads = await explain('notes/show', '--annotations', '{"readOnlyHint":true}', '--json');
    expect(JSON.parse(reads.out)).toMatchObject({ action: 'allow', rule: 2 });
    expect((await explain('notes')).code).toBe(2);
    expect((await explain('notes/show', '[1]')).code).toBe(2);

    expect((await runTenon(project.folder, ['policy', 'lint', 'policy.json'])).code).toBe(0);
    await project.write('policy.json', { rules: [{ allow: 'notes/*' }, { deny: 'notes/remove' }] });
    const lint = await runTenon(project.folder, ['policy', 'lint', 'policy.json']);
    expect(lint).toMatchObject({
      code: 1,
      out: expect.stringContaining('rule 2 is reached only by other spellings: rule 1 (allow)'),
    });
    await project.write('policy.json', '{ "rules": [{ "allow": "notes" }] }');
    expect((await runTenon(project.folder, ['policy', 'lint', 'policy.json'])).code).toBe(1);
  });
});
