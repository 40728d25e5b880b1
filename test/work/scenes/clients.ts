import { connect } from 'tenon';
import { named, type Scenes, SIZES } from '../scene.js';
import { resourcesOf, serverWith, toolAmong, toolsOf } from './offers.js';

const REVISIONS = ['2026-07-28', '2025-11-25'];

/** What costs a client, and the server of it, the same however much the client knows. */
export const clients: Scenes = Object.fromEntries(
  REVISIONS.flatMap(revision => [
    [
      `a call by a client that knows so many tools: ${revision}`,
      {
        sizes: SIZES,
        async prepare(size: number) {
          const client = await connect(serverWith({ tools: toolsOf(size) }), { revision });
          for await (const _ of client.listTools());
          return {
            once: () => client.callTool(toolAmong(size), { text: 'hello' }),
            close: () => client.close(),
          };
        },
      },
    ],
    [
      `a call by a client that keeps so many answers: ${revision}`,
      {
        sizes: SIZES,
        async prepare(size: number) {
          const cache = { ttlMs: 1_000_000 };
          const client = await connect(serverWith({ resources: resourcesOf(size), cache }), {
            revision,
            cacheSize: size,
          });
          for (let at = 0; at < size; at++) await client.readResource(named('note://', at));
          return {
            once: () => client.callTool(toolAmong(10), { text: 'hello' }),
            close: () => client.close(),
          };
        },
      },
    ],
  ]),
);
