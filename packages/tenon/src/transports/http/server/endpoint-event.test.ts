import { afterEach, describe, expect, it } from 'vitest';
import { createHandler } from '../../../http.js';
import { createServer } from '../../../index.js';

const server = createServer({ name: 'a', version: '1.0.0' });
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Opens a stream of HTTP+SSE, and resolves the URL for messages as a client at `url` does. */
async function readPostUrl(options: Parameters<typeof createHandler>[1], path: string, url: string): Promise<string> {
  const handler = createHandler(server, { ...options, allowedHosts: '*' });
  closing.push(() => handler.close({ timeout: 0 }));
  const response = await handler(new Request(`http://inner${path}`, { headers: { accept: 'text/event-stream' } }));
  const { value } = await (response.body as ReadableStream<Uint8Array>).getReader().read();
  const [, data = ''] = /data: (\S+)/.exec(new TextDecoder().decode(value)) ?? [];
  return new URL(data, url).pathname;
}

describe('readPostUrl', () => {
  it.each([
    [{}, '/sse', 'https://x.example/sse', '/messages'],
    [{}, '/sse', 'https://x.example/tools/v1/sse', '/tools/v1/messages'],
    [{ ssePath: '/a/sse', messagesPath: '/a/messages' }, '/a/sse', 'https://x.example/p/a/sse', '/p/a/messages'],
    [{ ssePath: '/a/b/sse', messagesPath: '/c/messages' }, '/a/b/sse', 'https://x.example/p/a/b/sse', '/p/c/messages'],
    [{ ssePath: '/m/sse', messagesPath: '/m' }, '/m/sse', 'https://x.example/p/m/sse', '/p/m'],
    [{ ssePath: '/sse', messagesPath: '/a:b' }, '/sse', 'https://x.example/p/sse', '/p/a:b'],
  ])('keeps the prefix that a proxy removes: %j', async (options, path, url, expected) => {
    expect(await readPostUrl(options, path, url)).toBe(expected);
  });
});
