import { connect, tool } from 'tenon';
import { formatName, SIZES, type Workloads } from '../workload.js';
import { createResources, createTestServer, createTools, getMiddleTool } from './offers.js';

const VERSIONS = ['2026-07-28', '2025-11-25'];

/** Calls whose cost does not depend on what the client has stored. */
export const clientWorkloads: Workloads = Object.fromEntries(
  VERSIONS.flatMap(protocolVersion => [
    [
      `a call by a client that knows N tools: ${protocolVersion}`,
      {
        sizes: SIZES,
        async prepare(size: number) {
          const client = await connect(createTestServer({ tools: createTools(size) }), { protocolVersion });
          for await (const _ of client.listTools());
          return {
            run: () => client.callTool(getMiddleTool(size), { text: 'hello' }),
            close: () => client.close(),
          };
        },
      },
    ],
    [
      `a call by a client with N cached results: ${protocolVersion}`,
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
            run: () => client.callTool(getMiddleTool(10), { text: 'hello' }),
            close: () => client.close(),
          };
        },
      },
    ],
  ]),
);

/** Work that may cost in proportion to the length of a message. */
export const messageWorkloads: Workloads = {
  'a call in memory with an argument of N items': {
    sizes: SIZES,
    async prepare(size: number) {
      const count = tool({ run: () => 'done' });
      const client = await connect(createTestServer({ tools: { count } }));
      const items = Array.from({ length: size }, (_, at) => ({ at, text: 'hello' }));
      return { run: () => client.callTool('count', { items }), close: () => client.close() };
    },
  },
};
