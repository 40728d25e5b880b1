import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../../../client/connect.js';
import { createClientEndpoint } from '../../../client/connection/http-endpoint.js';
import { createNodeRequester } from '../http/http-requester.js';
import { nodeTransports } from '../transports.js';

describe('a program that is not a server', () => {
  it('causes a timeout error that quotes its output', async () => {
    const program = `console.log('Server starting on port 3000...\\u001b[31m'); process.stdin.resume();`;
    const endpoint = nodeTransports.createStdio({ command: process.execPath, args: ['-e', program] });
    // A busy machine takes longer to start a process. These times count from its first output.
    const limits = { probeTimeout: 600, idleTimeout: 600, totalTimeout: 50_000 };
    await expect(connectTo(endpoint, limits)).rejects.toMatchObject({
      code: 'call/timeout',
      received: expect.stringMatching(/not JSON: “Server starting on port 3000\.\.\.\\u\{1B\}\[31m”/),
      hint: expect.stringContaining('stderr'),
    });
  });

  it('causes an error about TLS when it responds to https: with plain HTTP', async () => {
    const server = createServer((_, response) => response.end());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    await expect(connectTo(createClientEndpoint({ url }, createNodeRequester()))).rejects.toMatchObject({
      code: 'http/unreachable',
      summary: 'cannot connect: the server does not speak TLS on this port',
      hint: expect.stringContaining('`http://`'),
    });
    server.close();
  });
});
