import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OpenApiReport, readOperations, serveOperations } from '@tenon/openapi';
import { connect, createServer, type JsonObject } from 'tenon';
import { createSample } from './create-sample.js';

/** Maximum number of tools that are called. */
const MAX_CALLS = 10;

/** Result of a document that was served and called. */
export interface DocumentTrial {
  readonly report: OpenApiReport;
  /** Tools with the schema of their response. */
  readonly withOutput: number;
  readonly calls: readonly { readonly tool: string; readonly problem?: string }[];
  /** Time to read the document and to create the server, in milliseconds. */
  readonly duration: number;
  /** Length of the list of tools, in characters. */
  readonly listLength: number;
}

/**
 * Serves a document, and calls ten of its tools, spread over the document. Their API is a server that responds with a value
 * of the schema of the response, and that compares the method and the path.
 */
export async function tryDocument(document: string | JsonObject): Promise<DocumentTrial> {
  const sent: { method: string; path: string }[] = [];
  let response: unknown = {};
  const api = createHttpServer((request, reply) => {
    sent.push({ method: request.method ?? '', path: (request.url ?? '').split('?', 1)[0] ?? '' });
    request.resume();
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(response));
  });
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  try {
    const started = performance.now();
    const { operations, schemes, report } = await readOperations(document, { baseUrl });
    const { tools } = serveOperations(operations, { baseUrl, schemes });
    const server = createServer({ name: 'trial', version: '1.0.0', tools });
    const duration = performance.now() - started;
    const client = await connect(server);
    const listed = [];
    for await (const each of client.listTools()) listed.push(each);
    const step = Math.max(1, Math.floor(operations.length / MAX_CALLS));
    const chosen = operations.filter((_, index) => index % step === 0).slice(0, MAX_CALLS);
    const calls: DocumentTrial['calls'][number][] = [];
    for (const { name, method, path, url, input, output } of chosen) {
      sent.length = 0;
      response = output === undefined ? { ok: true } : createSample(output, output);
      const { isError, content } = await client.callTool(name, createSample(input, input) as Record<string, unknown>);
      const prefix = url === undefined ? '' : new URL(url).pathname.replace(/\/+$/, '');
      const expected = new RegExp(
        `^${prefix}${path
          .split('#', 1)[0]!
          .split('?', 1)[0]!
          .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
          .replace(/\{[^{}]+\}/g, '[^/]+')}$`,
      );
      const [request] = sent;
      const problem =
        request === undefined || isError === true
          ? JSON.stringify(content).slice(0, 300)
          : request.method !== method || !expected.test(request.path)
            ? `sent ${request.method} ${request.path}`
            : undefined;
      calls.push({ tool: name, ...(problem === undefined ? {} : { problem }) });
    }
    await client.close();
    const withOutput = operations.filter(each => each.output !== undefined).length;
    return { report, withOutput, calls, duration, listLength: JSON.stringify(listed).length };
  } finally {
    await new Promise(resolve => api.close(resolve));
  }
}
