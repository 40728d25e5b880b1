/**
 * Prints how many bytes of each call remain in the old generation, where only a full collection frees them. Calls overlap, so
 * that each collection happens during some of them.
 */
import { getHeapSpaceStatistics } from 'node:v8';
import { createHost } from '@tenon/host';
import { connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { createTestServer, createTools, getMiddleTool } from './workloads/offers.js';

declare const gc: (options?: { readonly type: 'minor' }) => void;

const IN_FLIGHT = 16;
const WARM_UP = 1_500;
const CALLS = 1_500;
/** Calls between two minor collections. An object that survives two of them is promoted. */
const INTERVAL = 50;
const OLDEST = '2025-11-25';
const NEWEST = '2026-07-28';

const behind = await serveHttp(createTestServer({ tools: createTools(10) }), { port: 0 });
const host = await createHost({ servers: { behind: { url: behind.url } }, prefix: 'never' });
const gateway = await serveHttp(host.toServer(), { port: 0 });

for (const protocolVersion of [OLDEST, NEWEST]) {
  for (const [name, url] of [
    ['a client', behind.url],
    ['a gateway', gateway.url],
  ] as const) {
    const client = await connect(url, { protocolVersion });
    const cost = await measurePromotedBytes(() => client.callTool(getMiddleTool(10), { text: 'hello' }));
    process.stdout.write(`${JSON.stringify({ name: `${name} on ${protocolVersion}`, size: IN_FLIGHT, cost })}\n`);
    await client.close();
  }
}
process.exit();

/** Returns the bytes that one call leaves in the old generation, while others are in progress. */
async function measurePromotedBytes(call: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  let before = 0;
  let after = 0;
  const callUntilEnd = async () => {
    while (calls <= WARM_UP + CALLS) {
      await call();
      calls += 1;
      if (calls % INTERVAL === 0) gc({ type: 'minor' });
      if (calls === WARM_UP) {
        gc();
        before = readOldGeneration();
      }
      if (calls === WARM_UP + CALLS) after = readOldGeneration();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, callUntilEnd));
  return (after - before) / CALLS;
}

function readOldGeneration(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => !space_name.startsWith('new_'))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
