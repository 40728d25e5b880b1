import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, type Serving, serving, shopEntry } from './command.js';

describe('tenon approvals', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let gateway: Serving;
  const store = ['--store', 'state.sqlite'];
  const approvals = (...args: string[]) => runTenon(project.folder, ['approvals', ...args, ...store]);

  /** Waits for the approval of a call. */
  async function findApproval(): Promise<{ id: string; arguments: unknown }> {
    for (;;) {
      const { out } = await approvals('list', '--json');
      const waiting = out.split('\n').filter(line => line.includes('"waiting"'));
      if (waiting[0] !== undefined) return JSON.parse(waiting[0]);
    }
  }

  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({ shop: shopEntry() });
    await project.write('policy.json', { rules: [{ ask: 'shop/price' }, { allow: 'shop/*' }] });
    const args = ['--policy', 'policy.json', '--approve', 'store', ...store];
    gateway = await serving(project.folder, ['gateway', '--trust', '--port', '0', '--json', ...args]);
  });
  afterAll(async () => {
    await gateway.end();
    await project.remove();
  });

  it('shows what a gateway asks, without secrets, and lets the call continue or fail', async () => {
    await using client = await connect(gateway.url, {
      elicit: () => ({ action: 'accept', content: { decision: 'once' } }),
    });
    expect(await client.callTool('shop__process')).not.toHaveProperty('isError', true);

    const allowed = client.callTool('shop__price', { of: 'tea', token: 'sk-secret-of-the-caller' });
    const { id, arguments: args } = await findApproval();
    expect(args).toEqual({ of: 'tea', token: '…' });
    const { out } = await approvals('list');
    expect(out).toMatch(/^Waiting for an answer:\n\ntool price of shop\n/);
    expect(id).toMatch(/^[\da-f]{8}$/);
    expect(out).toMatch(new RegExp(`^ +id +${id}$`, 'm'));
    expect(out).not.toContain('sk-secret');
    expect(await approvals('allow', id.slice(0, 6), '--for', '1h')).toMatchObject({ code: 2 });
    expect(await approvals('allow', id.slice(0, 6))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Allowed \w+\.\n$/),
    });
    expect(await allowed).toMatchObject({ content: [{ text: 'tea costs 3' }] });

    const denied = client.callTool('shop__price', { of: 'salt' });
    const { id: second } = await findApproval();
    const answered = await approvals('deny', second.slice(0, 6), '--json');
    expect(JSON.parse(answered.out)).toEqual({ id: second, decision: 'deny' });
    expect(await denied).toMatchObject({ isError: true });
    expect((await approvals('allow', second)).code).toBe(1);
  });

  it('remembers an approval for longer', async () => {
    await using client = await connect(gateway.url);
    const first = client.callTool('shop__price', { of: 'rice' });
    const { id } = await findApproval();
    const allowed = await runTenon(project.folder, [
      'approvals',
      'allow',
      id,
      ...store,
      '--for',
      '1h',
      '--remember',
      'always',
      '--json',
    ]);
    expect([allowed.code, JSON.parse(allowed.out).decision]).toEqual([0, 'allow']);
    await first;
    expect(await client.callTool('shop__price', { of: 'oil' })).toMatchObject({ content: [{ text: 'oil costs 3' }] });
  });

  it('shows remembered approvals, and asks again about revoked ones', async () => {
    const { out } = await approvals('list');
    expect(out).toMatch(/^Waiting for an answer:\n\nnone\n\nRemembered approvals:\n\ntool price of shop\n/);
    expect(out).toMatch(/^ +allows +any arguments$/m);
    const [, id = ''] = /^ +id +([\da-f]{8})$/m.exec(out) ?? [];
    expect(JSON.parse((await approvals('list', '--json')).out)).toMatchObject({ status: 'remembered', id });

    expect(await approvals('revoke')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no ID. Pass an ID from'),
    });
    expect(await approvals('revoke', id, '--all')).toMatchObject({
      code: 2,
      err: expect.stringContaining('both an ID and --all. Pass one of them'),
    });
    expect((await approvals('revoke', 'ffff0000')).code).toBe(1);
    expect(await approvals('revoke', id)).toMatchObject({ code: 0, out: 'Revoked 1 approval.\n' });
    await using client = await connect(gateway.url);
    const call = client.callTool('shop__price', { of: 'oil' });
    const { id: request } = await findApproval();
    await approvals('allow', request, '--remember', 'exact');
    await call;
    expect((await approvals('list')).out).toMatch(/^ +allows +the arguments that were approved$/m);
    const revoked = await runTenon(project.folder, ['approvals', 'revoke', '--all', ...store, '--json', '--no-input']);
    expect(JSON.parse(revoked.out)).toEqual({ revoked: [expect.any(String)] });
    expect((await approvals('list', '--json')).out).toBe('');
  });

  it('needs an existing store, and a gateway that uses it', async () => {
    expect((await runTenon(project.folder, ['approvals', 'list', '--store', 'other.sqlite'])).code).toBe(1);
    expect((await runTenon(project.folder, ['approvals', 'list'])).code).toBe(2);
    const without = await runTenon(project.folder, ['gateway', '--trust', '--approve', 'store']);
    expect(without.code).toBe(2);
    expect(without.err).toContain('--store FILE');
  });
});
