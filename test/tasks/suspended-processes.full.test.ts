import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, createServer, type Stores, tasks } from 'tenon';
import { redisStores } from 'tenon/redis';
import { sqliteStores } from 'tenon/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { bundle } from '../support/bundle.js';

const ROUNDS = 4;
const keys = [{ id: 'shared', key: new Uint8Array(32).fill(7) }];
const ENDS = ['completed', 'failed', 'cancelled'];

/** Event of a task in the log of all processes, in the order in which they were written. */
interface LoggedEvent {
  readonly type: string;
  readonly id: string;
  readonly pid: number;
}

let folder: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-suspended-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that works on tasks. */
function startWorker(place: string, log: string, gate: string) {
  const args = [bundle('test/tasks/suspended-worker.ts'), place, log, gate];
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
    it.skipIf(!isInstalled)('report the end of each task once, and never after another took it over', async () => {
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
      const stores = place.startsWith('redis:') ? redisStores(place) : sqliteStores(place);
      const client = await openClient(stores, log);
      const all: string[] = [];

      for (let round = 0; round < ROUNDS; round++) {
        const gate = join(folder, `gate-${round}`);
        const workers = [0, 1, 2].map(() => startWorker(place, log, gate));
        const [victim] = workers;
        if (!victim) throw new Error('no process');
        const ids: string[] = [];
        for (const kind of ['steps', 'plain', 'steps', 'plain'] as const) ids.push(await victim.begin(kind));
        all.push(...ids);
        await suspend(victim, stores);
        const isTakenOver = (id: string) =>
          readLog().some(event => event.type === 'taken-over' && event.id === id && event.pid !== victim.pid);
        await expect.poll(() => ids.filter(id => !isTakenOver(id))).toEqual([]);
        await client.cancel(ids[round % ids.length] ?? '');
        const hasEnded = async () => {
          const states = await Promise.all(ids.map(client.readStatus));
          return states.filter(status => status === 'working');
        };
        // In even rounds the process continues beside the others, in odd rounds when all has ended.
        if (round % 2 === 0) victim.signal('SIGCONT');
        writeFileSync(gate, '');
        await expect.poll(hasEnded).toEqual([]);
        victim.signal('SIGCONT');
        // The process has tried to write the ends of its tasks when it has begun and ended another one.
        const last = await victim.begin('plain');
        all.push(last);
        await expect.poll(() => client.readStatus(last)).toBe('completed');
        for (const close of closing.splice(-workers.length).reverse()) await close();
      }

      const events = readLog();
      for (const id of all) {
        const own = events.filter(event => event.id === id);
        const ends = own.filter(({ type }) => ENDS.includes(type));
        expect(ends.map(({ type }) => type)).toHaveLength(1);
        const before = own.slice(0, own.indexOf(ends[0] as LoggedEvent));
        const owner = before.filter(({ type }) => type === 'created' || type === 'taken-over').at(-1);
        if (ends[0]?.type !== 'cancelled') expect(ends[0]?.pid).toBe(owner?.pid);
      }
      expect(events.filter(({ type }) => type === 'cancelled')).toHaveLength(ROUNDS);
    });
  },
);
