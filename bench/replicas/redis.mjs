// @ts-check
/** A Redis server of its own for the measurement, and what it has counted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { freePort, startCommand, stop } from '../processes.mjs';

/** `countCommands`: commands that processes have sent since `resetCommands`, by name. @typedef {{ url: string, pid: number, resetCommands: () => Promise<void>, countCommands: () => Promise<Record<string, number>>, readUsedMemory: () => Promise<number>, readKeyMemory: (pattern: string) => Promise<number>, close: () => Promise<void> }} Redis */

/** Starts Redis as its documentation recommends for data that has to survive a restart: it writes to disk each second. @returns {Promise<Redis>} */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-redis-'));
  const port = await freePort();
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'yes',
    '--dir',
    folder,
  ];
  const child = startCommand('redis-server', [...settings, '--auto-aof-rewrite-percentage', '0']);
  child.stdout?.resume();
  const url = `redis://127.0.0.1:${port}`;
  const client = createClient({ url, socket: { reconnectStrategy: 50 } });
  client.on('error', () => {});
  await client.connect();
  const info = async (/** @type {string} */ section) => String(await client.sendCommand(['INFO', section]));
  return {
    url,
    pid: /** @type {number} */ (child.pid),
    resetCommands: async () => void (await client.sendCommand(['CONFIG', 'RESETSTAT'])),
    async countCommands() {
      const counts = [...(await info('commandstats')).matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)];
      return Object.fromEntries(counts.map(([, name, calls]) => [name, Number(calls)]));
    },
    readUsedMemory: async () => Number(/used_memory:(\d+)/.exec(await info('memory'))?.[1]),
    async readKeyMemory(pattern) {
      for (let cursor = '0'; ; ) {
        const [next, keys] = /** @type {[string, string[]]} */ (
          await client.sendCommand(['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'])
        );
        if (keys[0] !== undefined) return Number(await client.sendCommand(['MEMORY', 'USAGE', keys[0]]));
        cursor = next;
        if (cursor === '0') return Number.NaN;
      }
    },
    async close() {
      client.destroy();
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
