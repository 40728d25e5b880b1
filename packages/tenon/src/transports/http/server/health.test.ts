import { afterEach, describe, expect, it } from 'vitest';
import { createServer, memoryStores, type Stores, TenonError } from '../../../index.js';
import { createFakeClock } from '../fixtures/fake-clock.js';
import { runtimes, type Site } from '../fixtures/sites.js';
import type { HandlerOptions } from './options.js';

/** Stores that count reads, and answer as the test says. */
function openStores(get: () => Promise<undefined> = async () => undefined): { stores: Stores; countReads(): number } {
  const { bus, values, close } = memoryStores();
  let reads = 0;
  const count = () => {
    reads += 1;
    return get();
  };
  return { stores: { durable: true, bus, close, values: { ...values, get: count } }, countReads: () => reads };
}

describe.each(runtimes)('health endpoints on $name', ({ open }) => {
  let site: Site | undefined;
  afterEach(() => site?.close({ timeout: 0 }));

  async function openSite(options: HandlerOptions, stores?: Stores) {
    const server = createServer({ name: 'healthy', version: '1.0.0', stores, onError: () => {} });
    site = await open(server, options);
    const { send } = site;
    return async (path: string, init?: Parameters<Site['send']>[1]) => {
      const response = await send(path, init);
      return { status: response.status, text: await response.text(), headers: response.headers };
    };
  }

  it('are disabled by default', async () => {
    const get = await openSite({});
    expect((await get('/healthz')).status).toBe(404);
    expect((await get('/readyz')).status).toBe(404);
  });

  it('respond to every Host and Origin, without authorization', async () => {
    const get = await openSite({ health: true, authorize: () => ({ status: 401 }) });
    const headers = { host: 'pod.example.com', origin: 'https://evil.example.com' };
    for (const path of ['/healthz', '/readyz']) {
      const { status, text, headers: sent } = await get(path, { headers });
      expect([status, JSON.parse(text), sent.get('cache-control')]).toEqual([200, { status: 'ok' }, 'no-store']);
    }
    expect((await get('/mcp', { method: 'POST', headers })).status).toBe(403);
    expect((await get('/readyz', { method: 'HEAD' })).text).toBe('');
    expect((await get('/readyz', { method: 'POST' })).status).toBe(405);
  });

  it('name the formats of stored records that this release cannot read, and stay ready', async () => {
    const stores: Stores = { ...memoryStores(), durable: true };
    await stores.values.put('task/a', { $format: 7 });
    const get = await openSite({ health: true }, stores);
    const { status, text } = await get('/readyz');
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { status: 'ok', unknownFormats: [{ kind: 'task', format: '7' }] },
    ]);
    expect((await stores.values.get('task/a'))?.value).toEqual({ $format: 7 });
  });

  it('report not ready with keys other than those of the deployment', async () => {
    const shared = { ...memoryStores(), durable: true, remote: true };
    const serve = (fill: number) => {
      const keys = [{ id: 'k', key: new Uint8Array(32).fill(fill) }];
      return createServer({ name: 'keys', version: '1', stores: shared, inputRequests: { keys }, onError: () => {} });
    };
    const read = async (fill: number) => {
      site = await open(serve(fill), { health: true });
      const response = await site.send('/readyz');
      await site.close({ timeout: 0 });
      return [response.status, await response.json()];
    };
    expect(await read(1)).toEqual([200, { status: 'ok' }]);
    expect(await read(2)).toEqual([503, { status: 'unavailable', failed: ['stores'] }]);
    expect(await read(1)).toEqual([200, { status: 'ok' }]);
  });

  it('use the configured paths', async () => {
    const get = await openSite({ health: { live: '/live', ready: '/mcp/ready' } });
    expect((await get('/live')).status).toBe(200);
    expect((await get('/mcp/ready')).status).toBe(200);
    expect((await get('/healthz')).status).toBe(404);
  });

  it('report not ready while durable stores fail, without details [so.outage-recover]', async () => {
    let fault: Error | undefined = new Error('redis://user:secret@10.0.0.1');
    const clock = createFakeClock();
    const errors: unknown[] = [];
    const { stores } = openStores(async () => {
      if (fault) throw fault;
      return undefined;
    });
    const get = await openSite({ health: true, clock, onError: error => errors.push(error) }, stores);
    const { status, text } = await get('/readyz');
    expect([status, JSON.parse(text)]).toEqual([503, { status: 'unavailable', failed: ['stores'] }]);
    expect((await get('/healthz')).status).toBe(200);
    clock.advance(1000);
    expect((await get('/readyz')).status).toBe(503);
    const received = 'redis://…@10.0.0.1';
    expect(errors).toEqual([expect.objectContaining({ code: 'serve/not-ready', cause: fault, received })]);
    fault = undefined;
    clock.advance(1000);
    expect((await get('/readyz')).status).toBe(200);
  });

  it('report not ready when a check takes longer than the timeout', async () => {
    const clock = createFakeClock();
    const { stores } = openStores(() => new Promise(() => {}));
    const get = await openSite({ health: { timeout: 300 }, clock }, stores);
    const response = get('/readyz');
    await expect.poll(() => clock.timers).toBeGreaterThan(0);
    clock.advance(300);
    expect((await response).status).toBe(503);
  });

  it('read the stores once a second at most', async () => {
    const clock = createFakeClock();
    const { stores, countReads } = openStores();
    const get = await openSite({ health: true, clock }, stores);
    await Promise.all(Array.from({ length: 20 }, () => get('/readyz')));
    expect(countReads()).toBe(1);
    clock.advance(1000);
    await get('/readyz');
    expect(countReads()).toBe(2);
  });

  it('omit the stores with `stores: false`, also without sessions', async () => {
    const { stores, countReads } = openStores(() => Promise.reject(new Error('down')));
    const get = await openSite({ health: { stores: false }, sessions: false }, stores);
    expect((await get('/readyz')).status).toBe(200);
    expect(countReads()).toBe(0);
  });

  it('run the checks of the server', async () => {
    const checks = { database: () => false, queue: () => Promise.reject(new Error('down')), disk: () => undefined };
    const get = await openSite({ health: { checks } });
    expect(JSON.parse((await get('/readyz')).text).failed).toEqual(['database', 'queue']);
  });

  it('report the cause of each failed check with its next step', async () => {
    const hint = 'add the key of the deployment';
    const checks = {
      database: () => false,
      queue: () => Promise.reject('down'),
      keys: () => Promise.reject(new TenonError('store/keys', 'none of the keys fits', { hint })),
    };
    const errors: unknown[] = [];
    const get = await openSite({ health: { checks }, onError: error => errors.push(error) });
    await get('/readyz');
    expect(errors).toMatchObject([
      { received: 'false' },
      { received: 'down' },
      { received: 'store/keys: none of the keys fits', hint },
    ]);
  });

  it('add the details of the server to the readiness response only', async () => {
    const servers = { connected: 1 };
    const get = await openSite({ health: { getDetails: () => ({ servers }) } });
    expect(JSON.parse((await get('/readyz')).text)).toEqual({ status: 'ok', servers });
    expect(JSON.parse((await get('/healthz')).text)).toEqual({ status: 'ok' });
  });

  it('refuse equal paths', async () => {
    await expect((async () => openSite({ health: { live: '/health', ready: '/health' } }))()).rejects.toMatchObject({
      code: 'serve/options',
    });
  });
});
