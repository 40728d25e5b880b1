import { setTimeout } from 'node:timers/promises';
import { type Client, connect } from 'tenon';
import { createAnswers } from '../interop/answers.js';
import { retryUntilPasses } from '../interop/retry.js';
import { connectSdkV1 } from '../interop/sdk-v1-client.js';
import { connectSdkV2 } from '../interop/sdk-v2-client.js';
import { type LoadCounts, type LoadSession, openLoadSession } from './load-session.js';

/** Clients that use all features of a server until the load is stopped. */
export interface Load {
  readonly counts: LoadCounts;
  /** Ends the load when each request has its outcome, and checks that each listener still gets updates. */
  stop(): Promise<void>;
}

const USERS = ['ada', 'bob', 'eve'];

/** Starts the load: sessions of three users over plain HTTP, and clients of each library. */
export async function startLoad(url: string): Promise<Load> {
  const counts: LoadCounts = {
    calls: 0,
    retries: 0,
    streams: 0,
    resumed: 0,
    stopped: 0,
    answers: 0,
    tasks: 0,
    updates: 0,
    clientErrors: 0,
    clientCalls: 0,
    errors: [],
  };
  const sessions = await Promise.all(USERS.map(user => openLoadSession(url, user, counts)));
  const listening = new AbortController();
  const updates = new Map<LoadSession, number>();
  const listeners = sessions.map(session =>
    session.listen(listening.signal, () => {
      counts.updates++;
      updates.set(session, (updates.get(session) ?? 0) + 1);
    }),
  );
  for (const session of sessions) await session.request('resources/subscribe', { uri: 'note://a' });
  let isOver = false;
  const repeat = async (work: (number: number) => Promise<unknown>) => {
    for (let number = 0; !isOver; number++) {
      await work(number).catch(error => counts.errors.push(String(error)));
      await setTimeout(20);
    }
  };
  const clients = await openClients(url);
  const running = [
    ...sessions.map(session => repeat(number => useSession(session, number, counts))),
    ...sessions.map(session => repeat(() => session.stream('paced', { steps: 5 }))),
    ...sessions.map(session => repeat(() => session.stream('form'))),
    repeat(number => runTask(clients.modern, number, counts)),
    ...clients.calls.map(call =>
      repeat(() =>
        call().then(
          () => counts.clientCalls++,
          () => setTimeout(50).then(() => counts.clientErrors++),
        ),
      ),
    ),
  ];
  return {
    counts,
    async stop() {
      isOver = true;
      await Promise.all(running);
      await setTimeout(500);
      const before = new Map(updates);
      await sessions[0]?.call('update');
      for (const session of sessions)
        await retryUntilPasses(() => {
          if ((updates.get(session) ?? 0) <= (before.get(session) ?? 0)) throw new Error('no update');
        }).catch(() => counts.errors.push(`${session.user}: the last update was lost`));
      listening.abort();
      await Promise.all(listeners);
      await Promise.all(sessions.map(session => session.close()));
      await clients.close();
    },
  };
}

/** Calls that have one effect each, unless they were sent again. */
async function useSession(session: LoadSession, number: number, counts: LoadCounts): Promise<void> {
  const retries = counts.retries;
  const version = Number(await session.call('effect', { id: `${session.user}-${number}-${Math.random()}` }));
  if (version > 1 && counts.retries === retries) counts.errors.push(`${session.user}: an effect took place twice`);
  const user = await session.call('whoami');
  if (user !== session.user) counts.errors.push(`${session.user}: has the session of ${user}`);
  if (number % 5 === 0) await session.call('update');
}

async function runTask(client: Client, number: number, counts: LoadCounts): Promise<void> {
  const id = `task-${number}-${Math.random()}`;
  const started = await client.tasks.start('build', { id, steps: 3 }).catch(() => undefined);
  if (started === undefined) {
    counts.clientErrors++;
    return;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await client.tasks.resume(started.id ?? '', { tool: 'build' }).result();
      counts.tasks++;
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await setTimeout(100);
    }
  }
}

/** Opens clients of each library on each wire. */
async function openClients(url: string) {
  const sessions = await connect(url, { protocolVersion: '2025-11-25', ...createAnswers() });
  const modern = await connect(url, { protocolVersion: '2026-07-28', ...createAnswers() });
  const sdkClients = await Promise.all([
    connectSdkV1({ url }),
    connectSdkV2({ url }),
    connectSdkV2({ url }, { versionNegotiation: { mode: 'auto' } } as never),
  ]);
  return {
    modern,
    calls: [
      ...[sessions, modern].flatMap(client =>
        ['paced', 'form'].map(name => () => client.callTool(name) as Promise<unknown>),
      ),
      ...sdkClients.flatMap(({ call }) =>
        ['paced', 'form'].map(name => () => call(name, {}, { timeout: 20_000 } as never)),
      ),
    ],
    close: () =>
      Promise.all([
        sessions.close(),
        modern.close(),
        ...sdkClients.map(async ({ client, terminate }) => {
          await terminate?.().catch(() => {});
          await client.close();
        }),
      ]),
  };
}
