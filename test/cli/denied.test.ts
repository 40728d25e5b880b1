import { readFile } from 'node:fs/promises';
import { createServer, prompt, resource, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, EVERYTHING, projectWith, runTenon, type Serving, serving } from './command.js';

const createShop = () =>
  createServer({
    name: 'shop',
    version: '1.0.0',
    tools: {
      erase: tool({ run: () => 'erased' }),
      buy: tool({ run: () => 'bought' }),
      look: tool({ run: () => 'seen' }),
    },
    prompts: { hello: prompt({ run: () => 'Hello' }), secret: prompt({ run: () => 'Hush' }) },
    resources: { 'note://a': resource({ read: () => 'text' }) },
  });

describe('requests that a gateway denies', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let shop: HttpServer;
  let gateway: Serving;
  beforeAll(async () => {
    await buildCommand();
    shop = await serveHttp(createShop(), { port: 0 });
    project = await projectWith({ shop: { url: shop.url } });
    const denying = ['erase', 'secret'].map(name => ({ deny: `shop/${name}`, because: 'nothing is erased' }));
    const quotas = [{ calls: 1, window: '1h', match: { tool: 'look' } }];
    await project.write('policy.json', { rules: [...denying, { allow: 'shop/look' }, { ask: 'shop/*' }], quotas });
    const log = ['--audit', 'audit.log'];
    const options = [...log, '--trust', '--port', '0', '--json', '--policy', 'policy.json', '--approve', 'deny'];
    gateway = await serving(project.folder, ['gateway', ...options]);
  });
  afterAll(async () => {
    await gateway.end();
    await shop.close();
    await project.remove();
  });
  const run = (...args: string[]) => runTenon(project.folder, args);

  it('exit with 6 [cli.exit]', async () => {
    const called = await run('call', gateway.url, 'shop__buy', '--json');
    expect(called.code).toBe(6);
    expect(JSON.parse(called.err)).toMatchObject({ exit: 6, fix: expect.stringContaining('tenon policy explain') });
    const text = await run('call', gateway.url, 'shop__buy');
    expect(text).toMatchObject({ code: 6, err: expect.stringContaining('the tool shop__buy was not called') });
    for (const args of [
      ['prompt', gateway.url, 'shop__hello'],
      ['read', gateway.url, 'note://a'],
    ]) {
      const { code, err } = await run(...args);
      expect([args[0], code]).toEqual([args[0], 6]);
      expect(err).toContain('tenon policy explain');
    }
  });

  it('exit with 6 and are recorded if the policy hides the tool', async () => {
    const listed = JSON.parse((await run('list', gateway.url, '--json')).out);
    expect(listed.tools.map(({ name }: { name: string }) => name)).not.toContain('shop__erase');
    const called = await run('call', gateway.url, 'shop__erase', 'note=1');
    expect(called).toMatchObject({ code: 6, out: expect.stringContaining('nothing is erased') });
    expect(await run('prompt', gateway.url, 'shop__secret')).toMatchObject({ code: 6 });
    const lines = (await readFile(project.path('audit.log'), 'utf8')).trim().split('\n');
    expect(lines.filter(line => /"action":"denied".*"name":"erase"/.test(line))).toHaveLength(1);
  });

  it('exit with 2 and the nearest name if no server has the name', async () => {
    for (const args of [
      ['call', gateway.url, 'shop__loook', 'positional'],
      ['call', gateway.url, 'shop__loook'],
      ['call', shop.url, 'loook', 'note=1'],
      ['prompt', gateway.url, 'shop__helo'],
      ['call', 'get-summ', '--', ...EVERYTHING],
    ]) {
      const { code, err } = await run(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toMatch(/not found\. Did you mean/);
    }
  });

  it('exit with 1 above a quota, and state when to try again [cli.exit]', async () => {
    expect((await run('call', gateway.url, 'shop__look')).code).toBe(0);
    const { code, err } = await run('call', gateway.url, 'shop__look', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({
      fix: expect.stringMatching(/^try again in \d+ s$/),
      retryAfterMs: expect.any(Number),
    });
  });
});
