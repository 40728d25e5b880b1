import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodePlatform } from '../runtimes/node/node-platform.js';
import { readDocument } from './read-document.js';

describe('readDocument() with a URL', () => {
  let sent = 0;
  const server = createServer((_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const write = () => {
      sent += 1;
      // The limit is at 20 chunks. Without it, the response would end after the others.
      if (sent > 200) response.end();
      else response.write(chunk, error => (error ? undefined : write()));
    };
    write();
  });
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('stops reading at the limit', async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`;
    await expect(readDocument(url, {}, nodePlatform)).rejects.toMatchObject({
      code: 'openapi/document',
      summary: `${url}: larger than 20 MiB`,
    });
    expect(sent).toBeLessThan(100);
  });

  it('reports the reason when the document cannot be fetched', async () => {
    await expect(readDocument('http://127.0.0.1:9/api.json', {}, nodePlatform)).rejects.toMatchObject({
      code: 'http/unreachable',
      received: expect.stringMatching(/ECONNREFUSED|bad port/),
      cause: expect.any(Error),
    });
  });
});
