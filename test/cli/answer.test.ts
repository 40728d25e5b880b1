import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

describe('tenon answer', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    kitchen = await serveKitchen();
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close()]));
  const run = (...args: string[]) => runTenon(project.folder, args);
  const folder = () => project.path('home/state/waiting-calls');

  /** Calls a tool that asks, and returns the id under which it waits. */
  async function startWaitingCall(...args: string[]): Promise<string> {
    const { code, out, err } = await run('call', kitchen.url, ...args, '--json');
    expect({ code, args, err: JSON.parse(err) }).toMatchObject({
      code: 9,
      err: { code: 'cli/input-required', exit: 9 },
    });
    return JSON.parse(out).inputRequired.id;
  }

  it('stores a call that waits for input, and continues it with the response [cli.call]', async () => {
    const { code, out, err } = await runTenon(project.folder, ['call', kitchen.url, 'order', 'item=apples']);
    expect({ code, out }).toEqual({ code: 9, out: '' });
    expect(err).toContain('How many apples?\n    count: number');
    const [, id = ''] = /tenon answer ([0-9a-f]{8}) count=VALUE/.exec(err) ?? [];
    const file = `${folder()}/${id}.json`;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder())).mode & 0o777).toBe(0o700);

    const waiting = JSON.parse((await run('answer', '--json')).out).calls;
    expect(waiting).toMatchObject([{ id, name: 'order', command: `tenon answer ${id} count=VALUE` }]);
    expect(await run('answer', id, 'count=20')).toMatchObject({ code: 2, out: '' });
    expect(await run('answer', id)).toMatchObject({ code: 2, err: expect.stringContaining('count: number') });
    expect(await runTenon(project.folder, ['answer', id.slice(0, 4), 'count=3'])).toEqual({
      code: 0,
      out: 'ordered 3 apples\n',
      err: '',
    });
    expect(await readdir(folder())).toEqual([]);
    expect(await run('answer', id, 'count=3')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no call waits'),
    });
  });

  it('declines, and accepts a page that was opened', async () => {
    expect(await run('answer', await startWaitingCall('order', 'item=a'), '--decline')).toMatchObject({
      out: 'not ordered: decline\n',
    });
    const id = await startWaitingCall('pay');
    expect(await run('answer', id)).toMatchObject({ code: 2, err: expect.stringContaining('https://pay.example/42') });
    expect(await run('answer', id, '--accept')).toMatchObject({ code: 0, out: 'accept\n' });
  });

  it('continues a task that waits for input', async () => {
    const id = await startWaitingCall('bake');
    expect(await run('answer', id, 'sell=true')).toMatchObject({ code: 0, out: 'sold\n' });
  });

  it('stores a task of 2025-11-25, and refuses a plain call, which needs input while it is open', async () => {
    const old = ['--protocol-version', '2025-11-25'];
    const refused = await run('call', kitchen.url, 'order', 'item=apples', '--json', ...old);
    expect(refused).toMatchObject({ code: 9, out: '' });
    expect(JSON.parse(refused.err)).toMatchObject({
      code: 'cli/input-required',
      cause: expect.stringMatching(/How many apples\?” \(count: number\).*while the call is open/),
      fix: expect.stringContaining('the same command with --keep'),
    });
    const id = await startWaitingCall('bake', ...old);
    expect(await run('answer', id, 'sell=false')).toMatchObject({ code: 0, out: 'kept\n' });
  });

  it('drops calls that have expired, and refuses another server', async () => {
    const file = async (id: string) => JSON.parse(await readFile(`${folder()}/${id}.json`, 'utf8'));
    const expired = await startWaitingCall('order', 'item=a');
    await writeFile(`${folder()}/${expired}.json`, JSON.stringify({ ...(await file(expired)), expiresAt: 1 }));
    expect((await run('answer', expired, 'count=1')).code).toBe(2);
    expect(await readdir(folder())).toEqual([]);
    const moved = await startWaitingCall('order', 'item=a');
    await writeFile(`${folder()}/${moved}.json`, JSON.stringify({ ...(await file(moved)), fingerprint: 'other' }));
    expect(await run('answer', moved, 'count=1')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/another server than the one that asked.*restore the configuration in \//i),
    });
  });

  it('deletes a call that the server no longer knows', async () => {
    const change = async (id: string, members: object) => {
      const file = `${folder()}/${id}.json`;
      await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...members }));
    };
    const task = await startWaitingCall('bake');
    await change(task, { taskId: 'nope' });
    const plain = await startWaitingCall('order', 'item=a');
    await change(plain, { requestState: 'nope' });
    for (const [id, ...words] of [
      [task, '--decline'],
      [plain, 'count=1'],
    ]) {
      const { code, err } = await run('answer', id ?? '', ...words, '--json');
      expect({ code, ...JSON.parse(err) }).toMatchObject({
        code: 'cli/call-expired',
        fix: 'check the effect before you repeat the call',
        exit: 1,
      });
      expect(JSON.parse(err).cause).not.toContain('Check the effect');
    }
    const left = (await readdir(folder())).join();
    expect([left.includes(task), left.includes(plain)]).toEqual([false, false]);
  });

  it('forgets a call without a connection', async () => {
    const id = await startWaitingCall('order', 'item=a');
    const file = `${folder()}/${id}.json`;
    const reference = { kind: 'url', url: 'http://127.0.0.1:1/mcp' };
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), reference }));
    expect(await run('answer', id, 'count=1')).toMatchObject({
      code: 4,
      err: expect.stringContaining(`tenon answer ${id} --forget`),
    });
    const { code, out } = await run('answer', id.slice(0, 4), '--forget', '--json');
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { forgotten: id } });
    expect((await readdir(folder())).join()).not.toContain(id);
  });

  it('refuses an answer without the ID of a call', async () => {
    for (const option of ['--accept', '--decline', '--forget'])
      expect(await run('answer', option)).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no id') });
  });

  it('finds the server of a call from another folder', async () => {
    await mkdir(project.path('other'));
    await project.write('mcp.json', { mcpServers: { kitchen: { url: kitchen.url } } });
    const { out } = await run('call', 'kitchen', 'order', 'item=a', '--trust', '--json');
    const { id } = JSON.parse(out).inputRequired;
    const env = { TENON_HOME: project.path('home') };
    expect(await runTenon(project.path('other'), ['answer', id, 'count=2'], env)).toEqual({
      code: 0,
      out: 'ordered 2 a\n',
      err: '',
    });
  });

  it('keeps no header and no token in the file', async () => {
    const given = ['--header', 'x-key=header-secret', '--bearer-env', 'TOKEN'];
    const env = { TOKEN: 'token-secret-0123' };
    const { out } = await runTenon(project.folder, ['call', kitchen.url, 'order', 'item=a', '--json', ...given], env);
    const { id } = JSON.parse(out).inputRequired;
    expect(await readFile(`${folder()}/${id}.json`, 'utf8')).not.toMatch(/header-secret|token-secret/);
    expect((await runTenon(project.folder, ['answer', id, 'count=1'], env)).out).toBe('ordered 1 a\n');
  });

  it('reports that a call cannot be stored where the home cannot be written [cli.tty]', async () => {
    await project.write('file', 'not a folder');
    const env = { TENON_HOME: project.path('file/home') };
    const { code, err } = await runTenon(project.folder, ['call', kitchen.url, 'order', 'item=a', '--json'], env);
    expect({ code, ...JSON.parse(err) }).toMatchObject({
      code: 'cli/input-required',
      fix: expect.stringContaining('TENON_HOME'),
    });
  });
});
