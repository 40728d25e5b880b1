import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer, type JsonObject, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { z } from 'zod';

/** One fault of a server over HTTP that is sound otherwise. */
export interface HttpFault {
  /** Answers a request in place of the server. Returns true if it did. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse, body: string) => boolean;
  /** Changes a response of JSON-RPC. */
  readonly edit?: (response: JsonObject, request: JsonObject) => JsonObject;
  /** Changes the status and the headers of a response. */
  readonly rewrite?: (head: ResponseHead, request: IncomingMessage, body: string) => void;
  /** Passes the name of the host and the origin of the server itself, whatever the client sends. */
  readonly ignoresHost?: boolean;
  /** Certificate of the server. */
  readonly tls?: ServerOptions;
}

export interface ResponseHead {
  status: number;
  readonly headers: Headers;
}

const add = tool({
  description: 'Adds two numbers',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.object({ a: z.number().describe('first'), b: z.number().describe('second') }),
  output: z.object({ sum: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
});

/** Starts a server in which the doctor finds nothing, but for one fault. */
export async function startServerWith(fault: HttpFault): Promise<{ origin: string; close(): Promise<void> }> {
  const handler = createHandler(
    createServer({
      name: 'sound',
      version: '1.0.0',
      tools: { add },
    }),
  );
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (fault.intercept?.(request, response, body)) return;
    const { method = 'GET', url = '/' } = request;
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    if (fault.ignoresHost) {
      headers.set('host', 'localhost');
      headers.delete('origin');
    }
    const target = `http://${headers.get('host')}${url}`;
    const answered = await handler(new Request(target, { method, headers, ...(body === '' ? {} : { body }) }));
    const head: ResponseHead = { status: answered.status, headers: new Headers(answered.headers) };
    fault.rewrite?.(head, request, body);
    const message = fault.edit && parseObject(body);
    const isAnswer = message !== undefined && 'id' in message;
    const edited = isAnswer && fault.edit?.(parseObject(await answered.clone().text()) ?? {}, message);
    if (edited) head.headers.delete('content-length');
    response.writeHead(head.status, Object.fromEntries(head.headers));
    response.flushHeaders();
    if (edited) response.write(JSON.stringify(edited));
    else for await (const chunk of answered.body ?? []) response.write(chunk);
    response.end();
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server = fault.tls ? createHttpsServer(fault.tls, onRequest) : createHttpServer(onRequest);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `${fault.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
