import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, serving, shopEntry, tenon } from './command.js';

describe('tenon audit verify', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let clear = async () => {};
  const env = { AUDIT_KEY: 'a-key-of-more-than-16-bytes' };
  const verify = (...args: string[]) => runTenon(project.folder, ['audit', 'verify', 'audit.jsonl', ...args], env);

  beforeAll(async () => {
    clear = await buildCommand();
    project = await projectWith({ shop: shopEntry() });
    const args = [
      'gateway',
      '--trust',
      '--port',
      '0',
      '--json',
      '--audit',
      'audit.jsonl',
      '--audit-key-env',
      'AUDIT_KEY',
    ];
    const gateway = await serving(project.folder, args, env);
    const client = await connect(gateway.url);
    for (const of of ['tea', 'salt']) await client.callTool('shop__price', { of });
    await client.close();
    await gateway.end();
  });
  afterAll(() => Promise.all([project.remove(), clear()]));

  it('finds the record of a gateway whole, and tells its head [cli.explain]', async () => {
    const verifyArgs = ['audit', 'verify', 'audit.jsonl', '--key-env', 'AUDIT_KEY'];
    const { code, out } = await tenon(project.folder, verifyArgs, env);
    expect(code).toBe(0);
    expect(out).toMatch(/^audit\.jsonl: whole, 5 lines\n {2}head 4:[\w-]{43}\n/);
    const [, head = ''] = /head (\S+)/.exec(out) ?? [];
    const kept = JSON.parse((await verify('--through', head, '--json')).out);
    expect(kept).toMatchObject({ file: 'audit.jsonl', ok: true, lines: 5 });
    expect((await verify('--through', `4:${'A'.repeat(43)}`)).code).toBe(1);
    expect((await verify('--through', 'head')).code).toBe(2);
  });

  it('finds one flipped byte, and says where', async () => {
    const path = project.path('audit.jsonl');
    const bytes = await readFile(path);
    const second = bytes.indexOf(10, bytes.indexOf(10) + 1) + 30;
    const flipped = Buffer.from(bytes);
    flipped[second] = (flipped[second] ?? 0) ^ 1;
    await writeFile(path, flipped);
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain(`audit.jsonl: broken at ${path}:3:`);
    await writeFile(path, bytes);
    expect((await verify()).code).toBe(0);
  });

  it('cannot look at what is not there, nor with half a key', async () => {
    expect((await runTenon(project.folder, ['audit', 'verify', 'other.jsonl'])).code).toBe(1);
    expect((await verify('--key-env', 'NOT_SET')).code).toBe(2);
  });
});
