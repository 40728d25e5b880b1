import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getProgram, hasPrograms } from '../../../../../../scripts/optional-programs.mjs';
import { toRequestError } from '../../../transports/http/client/errors.js';
import { createFetchRequester } from '../../web/fetch-requester.js';
import { createNodeRequester } from './http-requester.js';

const requesters = [
  ['node:http', createNodeRequester()],
  ['fetch', createFetchRequester()],
] as const;

describe.each(requesters)('a request with %s that is not sent', (_, send) => {
  const fail = async (to: string, headers: Record<string, string> = {}) => {
    const error = await send({ method: 'POST', url: to, headers, body: '{}' }).catch((thrown: unknown) => thrown);
    return toRequestError(error, 'peer', to);
  };

  it.skipIf(!hasPrograms('openssl'))(
    'names the certificate of the server as the cause, and the file to set',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'tenon-tls-'));
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'];
      execFileSync(getProgram('openssl'), ['req', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
      const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
        response.end(),
      );
      rmSync(folder, { recursive: true, maxRetries: 10 });
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
      const error = await fail(`https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
      await new Promise(resolve => server.close(resolve));
      expect(error).toMatchObject({ code: 'http/unreachable', hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
      expect(error.message).toMatch(/self[- ]signed certificate/);
    },
  );

  it('names a header that cannot be sent, without its value, and states that nothing was sent', async () => {
    for (const value of ['漢字 hush', 'hush\nx']) {
      const error = await fail('http://127.0.0.1:9/', { 'x-key': value });
      expect(error).toMatchObject({ code: 'http/invalid-header', hint: expect.stringContaining('nothing was sent') });
      expect(error.message).not.toContain('hush');
    }
  });
});

it('lets other work run after each 64 KiB of a stream that floods', async () => {
  const size = 16 * 1024 * 1024;
  const server = createHttpServer((_request, response) => response.end(Buffer.alloc(size)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const reply = await createNodeRequester()({ method: 'GET', url, headers: {} });
  let [total, inTurn, most, reading] = [0, 0, 0, true];
  const startTurn = () => {
    inTurn = 0;
    if (reading) setImmediate(startTurn);
  };
  startTurn();
  await reply.read(chunk => {
    total += chunk.length;
    inTurn += chunk.length;
    most = Math.max(most, inTurn);
  });
  reading = false;
  expect(total).toBe(size);
  expect(most).toBeLessThanOrEqual(4 * 64 * 1024);
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});
