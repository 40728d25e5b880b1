import { serveHttp } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { createProgressServer } from './fixtures/our-progress.js';
import { bundleProgram } from './process.js';
import { repeatAfterPause } from './repeat-after-pause.js';
import { connectSdkV1 } from './sdk-v1-client.js';
import { connectSdkV2 } from './sdk-v2-client.js';

const CALLS = 20;
const stdio = { args: bundleProgram(new URL('./fixtures/our-progress-stdio.ts', import.meta.url)) };
const modern = { versionNegotiation: { mode: 'auto' } } as const;

const clients = [
  { name: 'SDK v1', visit: connectSdkV1 },
  { name: 'SDK v2', visit: connectSdkV2 },
  { name: 'SDK v2 on 2026-07-28', visit: (to: Parameters<typeof connectSdkV2>[0]) => connectSdkV2(to, modern) },
];

describe.each(clients)('the last progress before a result, for the client of $name', ({ visit }) => {
  const countSeen = async (to: Parameters<typeof visit>[0]): Promise<number> => {
    const { client, call } = await visit(to);
    // The first call compiles the client's own code: under load that takes longer than any gap.
    await call('report');
    let seen = 0;
    for (let calls = 0; calls < CALLS; calls++) {
      const reports: number[] = [];
      const callAgain = () => call('report', {}, { onprogress: ({ progress }) => reports.push(progress) });
      await repeatAfterPause(callAgain, () => reports.at(-1) === 3);
      if (reports.at(-1) === 3) seen += 1;
    }
    await client.close();
    return seen;
  };

  it(`\`is received ${CALLS} times of ${CALLS} over stdio\``, async () => {
    expect(await countSeen(stdio)).toBe(CALLS);
  });

  it.each(['url', 'sseUrl'] as const)(
    `\`is received ${CALLS} times of ${CALLS} at the %s of an HTTP server\``,
    async kind => {
      const http = await serveHttp(createProgressServer(), { port: 0 });
      const to = kind === 'url' ? { url: http.url } : { sseUrl: http.sseUrl ?? '' };
      expect(await countSeen(to)).toBe(CALLS);
      await http.close({ timeout: 0 });
    },
  );
});
