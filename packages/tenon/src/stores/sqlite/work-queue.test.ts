import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type TenonError } from '@tenon/base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, prepareStatement } from './database.js';
import { openDatabase } from './fixtures/driver.js';
import { createWorkQueue } from './work-queue.js';

let folder = '';
let opened: Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-queue-'));
  opened = [];
});
afterEach(() => {
  for (const each of opened) each.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** A queue before a table of numbers, and the transactions that it makes. */
function openQueue(makeRoom?: () => boolean) {
  const file = join(folder, 'numbers.db');
  const database = openDatabase(file);
  opened.push(database);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY)');
  const transactions: string[] = [];
  const watched: Database = {
    prepare: sql => database.prepare(sql),
    exec: sql => {
      transactions.push(sql);
      return database.exec(sql);
    },
    close: () => database.close(),
  };
  const queue = createWorkQueue(watched, { clock: systemClock, timeout: 1000, file, makeRoom });
  const insert = prepareStatement(database, 'INSERT INTO numbers VALUES (?) RETURNING n');
  const select = prepareStatement(database, 'SELECT n FROM numbers ORDER BY n');
  const list = () => select().map(({ n }) => n);
  return { queue, insert, list, transactions };
}

describe('WorkQueue', () => {
  it('commits the writes of one turn once', async () => {
    const { queue, insert, list, transactions } = openQueue();
    await Promise.all([1, 2, 3, 4, 5].map(n => queue.write(() => insert(n))));
    expect(list()).toEqual([1, 2, 3, 4, 5]);
    expect(transactions).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
  });

  it('opens no transaction for one write, or for reads', async () => {
    const { queue, insert, list, transactions } = openQueue();
    const [, numbers] = await Promise.all([queue.write(() => insert(1)), queue.read(list), queue.read(list)]);
    expect(numbers).toEqual([1]);
    expect(transactions).toEqual([]);
  });

  it('runs jobs in the order of the calls', async () => {
    const { queue, insert, list } = openQueue();
    const [before, , between, , after] = await Promise.all([
      queue.read(list),
      queue.write(() => insert(1)),
      queue.read(list),
      queue.write(() => insert(2)),
      queue.read(list),
    ]);
    expect([before, between, after]).toEqual([[], [1], [1, 2]]);
  });

  it('resolves a write only after all are committed', async () => {
    const { queue, insert } = openQueue();
    const other = openDatabase(join(folder, 'numbers.db'));
    opened.push(other);
    const count = prepareStatement(other, 'SELECT count(*) AS count FROM numbers');
    const seen = await Promise.all([1, 2, 3].map(n => queue.write(() => insert(n)).then(() => count()[0]?.count)));
    expect(seen).toEqual([3, 3, 3]);
  });

  it('commits all others when one fails, each once', async () => {
    const { queue, insert, list, transactions } = openQueue();
    const outcomes = await Promise.allSettled([1, 2, 2, 3].map(n => queue.write(() => insert(n))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(list()).toEqual([1, 2, 3]);
    expect(transactions).toEqual(['BEGIN IMMEDIATE', 'ROLLBACK']);
  });

  it('waits for another process that writes', async () => {
    const { queue, insert, list } = openQueue();
    const other = openDatabase(join(folder, 'numbers.db'));
    opened.push(other);
    other.exec('BEGIN IMMEDIATE');
    const writing = Promise.all([1, 2, 3].map(n => queue.write(() => insert(n))));
    setTimeout(() => other.exec('COMMIT'), 50);
    await writing;
    expect(list()).toEqual([1, 2, 3]);
  });

  it('frees space when the file is full, and retries while that helps', async () => {
    const rooms = [true, true, false];
    const { queue } = openQueue(() => rooms.shift() ?? false);
    let attempts = 0;
    const fail = () => {
      attempts++;
      throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    };
    const outcome = await queue.write(fail).catch((error: TenonError) => error.code);
    expect([outcome, attempts]).toEqual(['store/full', 3]);
  });
});
