import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getText } from './collect.js';
import { type RoundRobin, startRoundRobin } from './fixtures/round-robin.js';
import { bundleProgram, type HttpPeer, startHttpPeer } from './process.js';
import { repeatAfterPause } from './repeat-after-pause.js';
import { connectSdkV1 } from './sdk-v1-client.js';
import { connectSdkV2 } from './sdk-v2-client.js';

const replica = bundleProgram(new URL('./fixtures/our-replica.ts', import.meta.url));
const modern = { versionNegotiation: { mode: 'auto' } } as const;

interface Replicas {
  readonly proxy: RoundRobin;
  readonly url: string;
  stop(): Promise<void>;
}

async function startReplicas(env: Readonly<Record<string, string>> = {}): Promise<Replicas> {
  const peers: HttpPeer[] = await Promise.all([1, 2].map(() => startHttpPeer(replica, env)));
  const proxy = await startRoundRobin(peers.map(({ origin }) => origin));
  return {
    proxy,
    url: `${proxy.origin}/mcp`,
    async stop() {
      await proxy.close();
      await Promise.all(peers.map(peer => peer.stop()));
    },
  };
}

const clients = [
  { name: 'SDK v1', visit: connectSdkV1, hasSessions: true },
  { name: 'SDK v2', visit: connectSdkV2, hasSessions: true },
  {
    name: 'SDK v2 on 2026-07-28',
    visit: (to: Parameters<typeof connectSdkV2>[0]) => connectSdkV2(to, modern),
    hasSessions: false,
  },
];

describe('two processes without sessions, behind a round-robin proxy', () => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await startReplicas();
  });
  afterAll(() => replicas.stop());

  it.each(clients)('serve every request of the client of $name', async ({ visit, hasSessions }) => {
    const before = [...replicas.proxy.counts];
    const { client, call, notifications } = await visit({ url: replicas.url });
    for (let n = 0; n < 4; n++) {
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      let seen: unknown[] = [];
      const callPaced = () => {
        seen = [];
        return call('paced', {}, { onprogress: report => seen.push(report) });
      };
      expect(getText(await repeatAfterPause(callPaced, () => seen.length === 3))).toBe('done');
      expect(seen).toHaveLength(3);
    }
    if (hasSessions) {
      await call('logs');
      expect(notifications.map(({ method }) => method)).toContain('notifications/message');
      await expect(client.subscribeResource({ uri: 'note://by/a' })).rejects.toThrow(/subscri/);
      await expect(client.setLoggingLevel('warning')).rejects.toThrow(
        /requires a session, and the server runs without sessions/,
      );
    }
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    await client.close();
    for (const [index, count] of replicas.proxy.counts.entries())
      expect(count - (before[index] ?? 0)).toBeGreaterThan(3);
  });

  it.each(clients)(
    'handle an input request as the version allows, for the client of $name',
    async ({ visit, hasSessions }) => {
      const { client, call } = await visit({ url: replicas.url });
      const called = await call('formed');
      if (hasSessions) {
        expect(called.isError).toBe(true);
        expect(getText(called)).toContain(
          'elicitation/create requires a session, and the server runs without sessions',
        );
      } else expect(JSON.parse(getText(called))).toMatchObject({ action: 'accept' });
      await client.close();
    },
  );

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('serve the client of Tenon on %s', async version => {
    const client = await connect(replicas.url, { protocolVersion: version as '2025-11-25' });
    for (let n = 0; n < 4; n++) expect((await client.callTool('paced')).content).toMatchObject([{ text: 'done' }]);
    expect(client.state).toBe('connected');
    await client.close();
  });
});

describe('two processes with sessions in memory, behind a round-robin proxy', () => {
  it('lose the session of a client of SDK v1', async () => {
    const replicas = await startReplicas({ SESSIONS: 'yes' });
    const visit = async () => {
      const { client } = await connectSdkV1({ url: replicas.url });
      for (let n = 0; n < 2; n++) await client.listTools();
    };
    await expect(visit()).rejects.toThrow(/Session not found/);
    await replicas.stop();
  });
});
