import { createServer, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { describe, expect, it } from 'vitest';

const URL = 'http://127.0.0.1/mcp';
const input = { type: 'object', properties: { a: { type: 'string' } } } as const;

function createSite() {
  const server = createServer({
    name: 's',
    version: '1',
    onError: () => {},
    tools: { ask: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'm', input })).action }) },
  });
  const handler = createHandler(server, { onError: () => {} });
  const post = (message: unknown, session?: string, version = '2025-06-18') =>
    handler(
      new Request(URL, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': version }),
        },
        body: JSON.stringify(message),
      }),
    );
  return { handler, post };
}

/** Reads a stream of events until it has this. */
async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, pattern: RegExp): Promise<RegExpExecArray> {
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    text += new TextDecoder().decode(value);
    const found = pattern.exec(text);
    if (found) return found;
    if (done) throw new Error(`the stream ended with ${text}`);
  }
}

const NONSENSE: readonly [string, (id: unknown) => object][] = [
  ['a text as result', id => ({ jsonrpc: '2.0', id, result: 'yes' })],
  ['null as result', id => ({ jsonrpc: '2.0', id, result: null })],
  ['neither result nor error', id => ({ jsonrpc: '2.0', id, answer: {} })],
  ['an error that is a text', id => ({ jsonrpc: '2.0', id, error: 'no' })],
  ['another version of JSON-RPC', id => ({ jsonrpc: '1.0', id, result: { action: 'accept' } })],
  ['a result that is no answer', id => ({ jsonrpc: '2.0', id, result: { action: 7 } })],
];

describe('a malformed answer to an elicitation over an HTTP session', () => {
  it.each(['2025-06-18', '2025-11-25'].flatMap(version => NONSENSE.map(each => [version, ...each] as const)))(
    'ends the call with an error in %s: %s',
    async (version, _, answer) => {
      const { handler, post } = createSite();
      const params = {
        protocolVersion: version,
        capabilities: { elicitation: {} },
        clientInfo: { name: 'c', version: '1' },
      };
      const opened = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      const session = opened.headers.get('mcp-session-id') ?? '';
      await opened.text();
      await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session, version);
      const called = await post(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask' } },
        session,
        version,
      );
      const reader = (called.body as ReadableStream<Uint8Array>).getReader();
      const [, id] = await readUntil(reader, /"id":(\d+),"method":"elicitation\/create"/);
      const { status } = await post(answer(Number(id)), session, version);
      expect([202, 400]).toContain(status);
      const [, text] = await readUntil(reader, /"id":1,"result":(.*)/);
      expect(text).toContain('"isError":true');
      await handler.close({ timeout: 0 });
    },
  );
});
