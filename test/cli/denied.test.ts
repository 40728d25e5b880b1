import { createServer, prompt, resource, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, type Serving, serving } from './command.js';

const createShop = () =>
  createServer({
    name: 'shop',
    version: '1.0.0',
    tools: { buy: tool({ run: () => 'bought' }), look: tool({ run: () => 'seen' }) },
    prompts: { hello: prompt({ run: () => 'Hello' }) },
    resources: { 'note://a': resource({ read: () => 'text' }) },
  });

describe('requests that a gateway denies', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let shop: HttpServer;
  let gateway: Serving;
  let clear = async () => {};
  beforeAll(async () => {
    clear = await buildCommand();
    shop = await serveHttp(createShop(), { port: 0 });
    project = await projectWith({ shop: { url: shop.url } });
    const quotas = [{ calls: 1, window: '1h', match: { tool: 'look' } }];
    await project.write('policy.json', { rules: [{ allow: 'shop/look' }, { ask: 'shop/*' }], quotas });
    const options = ['--trust', '--port', '0', '--json', '--policy', 'policy.json', '--approve', 'deny'];
    gateway = await serving(project.folder, ['gateway', ...options]);
  });
  afterAll(async () => {
    await gateway.end();
    await shop.close();
    await Promise.all([project.remove(), clear()]);
  });
  const run = (...args: string[]) => runTenon(project.folder, args);

  it('end with 6 [cli.exit]', async () => {
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

  it('end with 1 above a quota, and state when to try again [cli.exit]', async () => {
    expect((await run('call', gateway.url, 'shop__look')).code).toBe(0);
    const { code, err } = await run('call', gateway.url, 'shop__look', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({
      fix: expect.stringMatching(/^try again in \d+ s$/),
      retryAfterMs: expect.any(Number),
    });
  });
});
