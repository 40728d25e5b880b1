import { expect } from 'vitest';
import { callText, type Feature, waitUntil } from '../feature.js';
import { newest } from '../pair.js';
import type { Wires } from '../wire.js';

const trace = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'congo=t61rcWkgMzE',
  baggage: 'userId=alice',
};
const own = { 'com.example/own': { deep: [1] } };

/** The headers in which the argument `region` of a call was mirrored. */
function mirrored({ exchanges }: Wires): unknown[] {
  const calls = exchanges.filter(
    ({ body }) => (body as { params?: { name?: string } } | undefined)?.params?.name === 'mirrored',
  );
  return calls.map(({ headers }) => {
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return (Object.fromEntries(named) as Record<string, string>)['mcp-param-region'] ?? 'none';
  });
}

const encoded = `=?base64?${Buffer.from('Ærø').toString('base64')}?=`;

export const metadata: readonly Feature[] = [
  {
    crosses: 'metadata',
    name: 'of a request',
    async probe({ client }) {
      const answer = await callText(client.callTool('meta', {}, { meta: own }));
      return typeof answer === 'string' ? JSON.parse(answer).meta : answer;
    },
    seen: () => expect.objectContaining(own),
  },
  {
    crosses: 'metadata',
    name: 'trace context: the same trace, the same state and baggage',
    async probe({ client }) {
      const answer = await callText(client.callTool('meta', {}, { meta: trace }));
      return typeof answer === 'string' ? JSON.parse(answer).meta : answer;
    },
    // A gateway that takes part in the trace has a span of its own.
    seen: () =>
      expect.objectContaining({
        ...trace,
        traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-/),
      }),
  },
  {
    crosses: 'headers',
    name: 'arguments mirrored in headers, on each side that has them',
    async probe({ client, clientSide, serverSide, pair }) {
      const answer = await callText(client.callTool('mirrored', { region: 'Ærø', count: 7 }));
      // An answer may come on a stream of its own, before the reply to the request that brought the call.
      const seen = () => [clientSide, serverSide].every(side => mirrored(side).length > 0);
      if (pair.mode === 'http') await waitUntil(seen, 'the exchanges have ended');
      return [answer, new Set(mirrored(clientSide)), new Set(mirrored(serverSide))];
    },
    seen: ({ client, server, mode }) => {
      const on = (version: string) => new Set(mode !== 'http' ? [] : [version === newest ? encoded : 'none']);
      return ['Ærø 7', on(client), on(server)];
    },
  },
];
