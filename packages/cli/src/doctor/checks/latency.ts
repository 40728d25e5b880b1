import type { Check, DoctorContext } from '../check.js';
import { closeSession, openSession } from '../raw-requests.js';

/** Limits above which users notice the delay, in milliseconds. */
const MAX_START = 10_000;
const MAX_CONNECT = 3000;
const MAX_LIST = 1000;

/** Measures the time to connect, to initialize, to list tools, and to ping. */
export const latencyCheck: Check = {
  id: 'latency',
  title: 'Latency',
  requires: 'connection',
  async run(context, { ok, warning }) {
    const { connection, stdio } = context;
    if (!connection) return [];
    const { client, connectTime } = connection;
    const initialize = await computeInitializeTime(context);
    const list = client.server.capabilities.tools
      ? await computeMedian(context, () => client.call('tools/list'))
      : undefined;
    const ping = await computeMedian(context, () => client.ping()).catch(() => undefined);
    const times = Object.entries({ connect: connectTime, initialize, 'tools/list': list, ping });
    const seen = times
      .flatMap(([name, time]) => (time === undefined ? [] : [`${name} ${formatTime(time)}`]))
      .join(', ');
    const limit = stdio ? MAX_START : MAX_CONNECT;
    const slow = [
      ...(connectTime > limit
        ? [
            warning('connect', 'connecting is slow', {
              seen,
              cause: stdio
                ? 'hosts wait for the start of each server, and give up after 10 to 60 s'
                : 'each conversation waits for it',
              fix: stdio
                ? 'load modules and data when a tool needs them, and install the package instead of npx'
                : 'keep an instance running, and open connections to databases early',
            }),
          ]
        : []),
      ...((list ?? 0) > MAX_LIST
        ? [
            warning('list', '`tools/list` is slow', {
              seen,
              cause: 'hosts list the tools at the start of each conversation',
              fix: 'keep the list in memory',
            }),
          ]
        : []),
    ];
    return slow.length > 0
      ? slow
      : [ok('times', 'responses are fast', { seen: `${seen} (median of ${context.samples})` })];
  },
};

async function computeInitializeTime(context: DoctorContext): Promise<number | undefined> {
  const { http, handshakeVersion, transport } = context;
  if (!http || handshakeVersion === undefined || transport !== 'http') return undefined;
  const start = context.now();
  const session = await openSession(http, handshakeVersion);
  const time = context.now() - start;
  await closeSession(http, session);
  return time;
}

/** Returns the median time of several runs, in milliseconds. */
async function computeMedian({ samples, now }: DoctorContext, run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < samples; count += 1) {
    const start = now();
    await run();
    times.push(now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

const formatTime = (time: number): string => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`;
