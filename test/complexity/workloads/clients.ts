import { connect, tool } from 'tenon';
import { formatName, SIZES, type Workloads } from '../workload.js';
import { createResources, createTestServer, createTools, getMiddleTool } from './offers.js';

const VERSIONS = ['2026-07-28', '2025-11-25'];

/** What costs a client, and the server of it, the same however much the client knows. */
export const clientWorkloads: Workloads = Object.fromEntries(
  VERSIONS.flatMap(protocolVersion => [
    [
      `a call by a client that knows so many tools: ${protocolVersion}`,
      {
        sizes: SIZES,
        async prepare(size: number) {
          const client = await connect(createTestServer({ tools: createTools(size) }), { protocolVersion });
          for await (const _ of client.listTools());
          return {
            once: () => client.callTool(getMiddleTool(size), { text: 'hello' }),
            close: () => client.close(),
          };
        },
      },
    ],
    [
      `a call by a client that keeps so many answers: ${protocolVersion}`,
      {
        sizes: SIZES,
        async prepare(size: number) {
          const cache = { ttlMs: 1_000_000 };
          const client = await connect(createTestServer({ resources: createResources(size), cache }), {
            protocolVersion,
            cacheSize: size,
          });
          for (let at = 0; at < size; at++) await client.readResource(formatName('note://', at));
          return {
            once: () => client.callTool(getMiddleTool(10), { text: 'hello' }),
            close: () => client.close(),
          };
        },
      },
    ],
  ]),
);

/** What may cost as much as a message is long. */
export const messageWorkloads: Workloads = {
  'a call in memory, with an argument of so many items': {
    sizes: SIZES,
    async prepare(size: number) {
      const count = tool({ run: () => 'done' });
      const client = await connect(createTestServer({ tools: { count } }));
      const items = Array.from({ length: size }, (_, at) => ({ at, text: 'hello' }));
      return { once: () => client.callTool('count', { items }), close: () => client.close() };
    },
  },
};
