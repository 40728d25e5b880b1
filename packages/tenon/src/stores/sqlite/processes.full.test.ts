import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteStores } from '../../sqlite.js';
import { openDatabase } from './fixtures/driver.js';

const PROGRAM = fileURLToPath(new URL('fixtures/process.mjs', import.meta.url));

let folder = '';
let file = '';
let started: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-stores-'));
  file = join(folder, 'stores.db');
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started = [];
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

function start(...args: readonly string[]) {
  const [mode = '', ...rest] = args;
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, mode, file, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const ended = new Promise<number | string | null>(resolve =>
    child.on('close', (code, signal) => resolve(signal ?? code)),
  );
  return { child, ended, lines: createInterface({ input: child.stdout }) };
}

describe('stores in a file, used by several processes', () => {
  it('lose no increment, and create the file once', async () => {
    const processes = ['40', '40', '40'].map(count => start('count', count));
    expect(await Promise.all(processes.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    const { values, close } = sqliteStores(file);
    expect(await values.get('counter')).toEqual({ key: 'counter', value: { n: 120 }, version: 120 });
    await close();
  });

  it('keep a process alive that waits for the file', async () => {
    const stores = sqliteStores(file);
    const holder = openDatabase(file);
    const { ended, lines } = start('wait');
    lines.once('line', () => setTimeout(() => holder.exec('COMMIT'), 200));
    holder.exec('BEGIN IMMEDIATE');
    expect(await ended).toBe(0);
    expect(await stores.values.get('waited')).toMatchObject({ version: 1 });
    await stores.close();
  });

  it('contain every acknowledged write of a killed process', async () => {
    let acknowledged = 0;
    for (const enough of [20, 150]) {
      const { child, ended, lines } = start('write');
      acknowledged = 0;
      for await (const line of lines) {
        acknowledged = Number(line);
        // In the midst of what it does next. What it says until it is gone counts as well.
        if (acknowledged === enough) setTimeout(() => child.kill('SIGKILL'), 1);
      }
      expect(await ended).toBe('SIGKILL');
      expect(acknowledged).toBeGreaterThanOrEqual(enough);

      const { values, close } = sqliteStores(file);
      expect((await values.get('last'))?.value.n).toBeGreaterThanOrEqual(acknowledged);
      const stored = await values.list('k/');
      expect(stored.map(({ value }) => value.n)).toEqual(Array.from({ length: stored.length }, (_, n) => n + 1));
      expect(stored.length).toBeGreaterThanOrEqual(acknowledged);
      // The lock of the process that is gone holds nobody up.
      expect(await values.put('after', {})).toBeGreaterThan(0);
      await close();
      const database = openDatabase(file);
      expect(database.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }]);
      database.close();
    }
  });

  it('carry messages between processes', async () => {
    const stores = sqliteStores(file, { pollInterval: 10 });
    const answers: unknown[] = [];
    const result = new Promise<void>(resolve => {
      stores.bus.subscribe('answer', ({ n }) => answers.push(n) === 50 && resolve());
    });
    const { ended, lines } = start('answer');
    lines.once('line', async () => {
      for (let n = 0; n < 50; n++) await stores.bus.publish('question', { n });
    });
    await result;
    expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => n));
    await stores.bus.publish('question', { n: 'end' });
    // Then nothing but its listening is left, and that keeps no process alive.
    expect(await ended).toBe(0);
    await stores.close();
  });

  it('keep no process alive, and persist for the next', async () => {
    expect(await start('listen').ended).toBe(0);
    expect(await start('open').ended).toBe(0);
    const stores = sqliteStores(file);
    expect(await stores.values.list('')).toMatchObject([{ key: 'listened', version: 1 }]);
    await stores.close();
  });
});
