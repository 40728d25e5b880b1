/**
 * Runs the workloads in each size, and prints the cost of one run of each: in `steps` or in `bytes`. With another argument, runs
 * only those with this text in their names.
 */
import { createHandler } from 'tenon/http';
import { measureBytes, measureHeldBytes } from './bytes.js';
import { createTestHandler, openListening, openSession } from './connections.js';
import { omitLongTimers } from './long-timers.js';
import { countSteps } from './steps.js';
import type { Workloads } from './workload.js';
import { CALL, createResources, createTestServer, createTools } from './workloads/offers.js';
import { LISTEN } from './workloads/peers.js';
import {
  constantWorkloads,
  IDLE_SESSION,
  IDLE_STREAM,
  linearWorkloads,
  listWorkloads,
  logarithmicWorkloads,
} from './workloads.js';

const TIMES = 10;
const [, , what, only = ''] = process.argv;

omitLongTimers();
if (what === 'steps')
  await runEachWorkload(
    { ...constantWorkloads, ...listWorkloads, ...logarithmicWorkloads, ...linearWorkloads },
    countStepsOfRun,
  );
else {
  await runEachWorkload(constantWorkloads, async run => ({ cost: await measureBytes(run) }));
  if (IDLE_SESSION.includes(only)) await idleSessions();
  if (IDLE_STREAM.includes(only)) await idleStreams();
}
process.exit();

async function runEachWorkload(
  workloads: Workloads,
  measure: (run: () => Promise<unknown>) => Promise<object>,
): Promise<void> {
  for (const [name, { sizes, prepare }] of Object.entries(workloads)) {
    if (!name.includes(only)) continue;
    for (const size of sizes) {
      const { run, close } = await prepare(size);
      notify({ name, size, ...(await measure(run)) });
      await close();
    }
  }
}

async function countStepsOfRun(run: () => Promise<unknown>): Promise<object> {
  for (let time = 0; time < 3; time++) await run();
  const { total, byFunction } = await countSteps(async () => {
    for (let time = 0; time < TIMES; time++) await run();
  });
  return { cost: total / TIMES, byFunction: Object.fromEntries(byFunction) };
}

async function idleSessions(): Promise<void> {
  const handler = createTestHandler(createTestServer({ tools: createTools(20) }));
  const idle = async () => (await openSession(handler))(...CALL);
  notify({ name: IDLE_SESSION, size: 1, cost: await measureHeldBytes(idle) });
}

async function idleStreams(): Promise<void> {
  const limits = { maxStreams: 100_000, maxRequests: 100_000, maxShare: 1 };
  const handler = createHandler(createTestServer({ resources: createResources(10) }), { limits });
  const listen = () => openListening(handler, 'subscriptions/listen', LISTEN).response;
  notify({ name: IDLE_STREAM, size: 1, cost: await measureHeldBytes(listen) });
}

function notify(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
