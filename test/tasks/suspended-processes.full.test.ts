import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, createServer, type Stores, tasks } from 'tenon';
import { redisStores } from 'tenon/redis';
import { sqliteStores } from 'tenon/sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { bundle } from '../support/bundle.js';

const keys = [{ id: 'shared', key: new Uint8Array(32).fill(7) }];
const ENDS = ['completed', 'failed', 'cancelled'];
/** Moments at which the suspended process continues, and the index of the task that is cancelled before. */
const MOMENTS = [
  ['while others work on its tasks, the first of which is cancelled', true, 0],
  ['when its tasks have ended, the second of which is cancelled', false, 1],
  ['while others work on its tasks, the third of which is cancelled', true, 2],
  ['when its tasks have ended, the fourth of which is cancelled', false, 3],
] as const;

/** Event of a task in the log of all processes, in the order in which they were written. */
interface LoggedEvent {
  readonly type: string;
  readonly id: string;
  readonly pid: number;
}

let folder: string;
let program: string;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(() => {
  program = bundle('test/tasks/suspended-worker.ts');
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-suspended-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Starts a process that works on tasks. */
function startWorker(place: string, log: string, gate: string) {
  const args = [program, place, log, gate];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const ids = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  closing.push(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return {
    pid: child.pid ?? 0,
    signal: (name: 'SIGSTOP' | 'SIGCONT') => child.kill(name),
    async begin(kind: 'steps' | 'plain'): Promise<string> {
      child.stdin.write(`${kind}\n`);
      return String((await ids.next()).value);
    },
  };
}

/** Opens the tasks as a process that works on none of them. */
async function openClient(stores: Stores, log: string) {
  const server = createServer({
    name: 'reader',
    version: '1.0.0',
    stores,
    inputRequests: { keys },
    extensions: [
      tasks({
        maxRunning: 0,
        onEvent: ({ type, taskId }) => type === 'cancelled' && appendFileSync(log, `${type} ${taskId} 0\n`),
      }),
    ],
  });
  const client = await connect(server, { tasks: false, extensions: [{ id: 'io.modelcontextprotocol/tasks' }] });
  closing.push(async () => {
    await client.close();
    server.close();
    await stores.close();
  });
  return {
    cancel: (taskId: string) => client.call('tasks/cancel', { taskId }),
    readStatus: async (taskId: string) => (await client.call('tasks/get', { taskId })).status,
  };
}

/**
 * Suspends a process. One that is suspended inside a transaction of SQLite blocks the file for all others, so it continues
 * for a moment and is suspended again until a value can be written.
 */
async function suspend({ signal }: ReturnType<typeof startWorker>, { values }: Stores): Promise<void> {
  const canWrite = async () => {
    signal('SIGSTOP');
    const isWritten = await values.put('probe', {}).then(
      () => true,
      () => false,
    );
    if (!isWritten) signal('SIGCONT');
    return isWritten;
  };
  await expect.poll(canWrite).toBe(true);
}

const openStores: readonly (readonly [name: string, isInstalled: boolean, open: () => Promise<string>])[] = [
  ['a SQLite file', true, async () => join(folder, 'tasks.db')],
  [
    'Redis',
    hasRedis,
    async () => {
      const redis = await startRedis();
      closing.push(() => redis.close());
      return redis.url;
    },
  ],
];

/**
 * Suspends the process that works on four tasks until others have taken over all of them, cancels one, and lets the
 * process continue while the others still work or after they have ended.
 */
describe.skipIf(process.platform === 'win32').each(openStores)(
  'processes that are suspended for longer than their lease, with tasks in %s',
  (_, isInstalled, open) => {
    it.skipIf(!isInstalled).each(MOMENTS)(
      'report the end of each task once, and never after another took it over, when they continue %s',
      async (_moment, continuesBeside, cancelled) => {
        const place = await open();
        const log = join(folder, 'events.log');
        writeFileSync(log, '');
        const readLog = (): LoggedEvent[] =>
          readFileSync(log, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map(line => {
              const [type = '', id = '', pid] = line.split(' ');
              return { type, id, pid: Number(pid) };
            });
        const isRedis = place.startsWith('redis:');
        const stores = isRedis ? redisStores(place, { timeout: 30_000 }) : sqliteStores(place);
        const probe = isRedis ? stores : sqliteStores(place, { busyTimeout: 200 });
        if (!isRedis) closing.push(async () => probe.close());
        const client = await openClient(stores, log);

        const gate = join(folder, 'gate');
        const [victim] = [0, 1, 2].map(() => startWorker(place, log, gate));
        if (!victim) throw new Error('no process');
        const ids: string[] = [];
        for (const kind of ['steps', 'plain', 'steps', 'plain'] as const) ids.push(await victim.begin(kind));
        await suspend(victim, probe);
        const isTakenOver = (id: string) =>
          readLog().some(event => event.type === 'taken-over' && event.id === id && event.pid !== victim.pid);
        await expect.poll(() => ids.filter(id => !isTakenOver(id))).toEqual([]);
        await client.cancel(ids[cancelled] ?? '');
        const listWorking = async () => {
          const states = await Promise.all(ids.map(client.readStatus));
          return states.filter(status => status === 'working');
        };
        if (continuesBeside) victim.signal('SIGCONT');
        writeFileSync(gate, '');
        await expect.poll(listWorking).toEqual([]);
        victim.signal('SIGCONT');
        // The process has tried to write the ends of its tasks when it has begun and ended another one.
        const last = await victim.begin('plain');
        await expect.poll(() => client.readStatus(last)).toBe('completed');
        const all = [...ids, last];
        // A process writes of the end after it has stored it.
        const hasEnd = (id: string) => readLog().some(event => event.id === id && ENDS.includes(event.type));
        await expect.poll(() => all.filter(id => !hasEnd(id))).toEqual([]);

        const events = readLog();
        for (const id of all) {
          const own = events.filter(event => event.id === id);
          const ends = own.filter(({ type }) => ENDS.includes(type));
          expect(ends.map(({ type }) => type)).toHaveLength(1);
          const before = own.slice(0, own.indexOf(ends[0] as LoggedEvent));
          if (ends[0]?.type === 'cancelled') continue;
          const owners = before.filter(({ type }) => type === 'created' || type === 'taken-over').map(({ pid }) => pid);
          const pid = Number(ends[0]?.pid);
          expect(owners).toContain(pid);
          // A process that did not run for longer than its lease, because the machine was busy, may write of its takeover
          // when the next process has taken over and ended the task. The process that the test suspended wrote before.
          if (pid === victim.pid) expect(owners.at(-1)).toBe(pid);
        }
        expect(events.filter(({ type }) => type === 'cancelled')).toHaveLength(1);
      },
    );
  },
);
