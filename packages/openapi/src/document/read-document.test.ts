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

describe('the version of a document', () => {
  it.each([{ swagger: '2.0' }, { swagger: 2 }, { openapi: '3.0.3' }, { openapi: 3.1 }, { openapi: '3.2.0' }])(
    'accepts %j, also without quotes in YAML',
    async version => {
      await expect(readDocument({ ...version, paths: {} }, {}, nodePlatform)).resolves.toBeDefined();
    },
  );

  it.each([{ swagger: '1.2' }, { openapi: '4.0.0' }, { openapi: '2.0' }])('refuses %j', async version => {
    await expect(readDocument({ ...version, paths: {} }, {}, nodePlatform)).rejects.toMatchObject({
      code: 'openapi/document',
      summary: expect.stringMatching(/ (Swagger 1\.2|OpenAPI 4\.0\.0|OpenAPI 2\.0) is not supported$/),
    });
  });

  it.each([[''], [[]]])('refuses %j as a document', async source => {
    await expect(readDocument(source, {}, nodePlatform)).rejects.toMatchObject({
      code: 'openapi/document',
      summary: 'the document is no path, no URL and no object',
    });
  });
});
