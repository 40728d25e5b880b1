import { type IncomingMessage, request } from 'node:http';
import { createHost } from '@tenon/host';
import { connect, createServer, tool } from 'tenon';
import { afterEach, expect, it } from 'vitest';
import { type MetricsServer, serveMetrics } from './metrics.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(): Promise<MetricsServer> {
  const metrics = await serveMetrics({ host: '127.0.0.1', port: 0 });
  closing.push(() => metrics.close());
  return metrics;
}

const getResponse = (url: string, options: { method?: string; headers?: Record<string, string> }) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, response => resolve(response.resume()))
      .on('error', reject)
      .end();
  });

const getStatus = async (...args: Parameters<typeof getResponse>) => (await getResponse(...args)).statusCode;

it('responds to scrapes only, and not under the name of a web page', async () => {
  const { url } = await open();
  expect(await getStatus(url, {})).toBe(200);
  expect(await getStatus(url, { headers: { host: 'localhost:9464' } })).toBe(200);
  expect(await getStatus(url, { headers: { host: 'evil.example' } })).toBe(403);
  const { statusCode, headers } = await getResponse(url, { method: 'POST' });
  expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD']);
  expect(await getStatus(new URL('/other', url).href, {})).toBe(404);
});

it('exports no label that a caller can invent', async () => {
  const { url, telemetry } = await open();
  const tools = { real: tool({ run: () => 'done' }) };
  const service = createServer({ name: 'one', version: '1.0.0', tools });
  const host = await createHost({ servers: { one: { service } }, telemetry, rateLimits: false });
  closing.push(() => host.close());
  const client = await connect(host.toServer());
  closing.push(() => client.close());
  await client.callTool('one__real');
  for (let n = 0; n < 50; n += 1) {
    await client.callTool(`one__invented_${n}`).catch(() => {});
    await client.call(`custom/${n}`).catch(() => {});
  }
  const text = await (await fetch(url)).text();
  expect(text).toContain('gen_ai_tool_name="one__real"');
  expect(text).toContain('gen_ai_tool_name="_OTHER"');
  expect(text).not.toContain('invented_');
  expect(text).not.toContain('custom/');
  expect(text.split('\n').length).toBeLessThan(400);
});
