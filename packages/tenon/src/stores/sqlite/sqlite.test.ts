import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TenonError } from '@tenon/base';
import { fakeClock, storeCases } from '@tenon/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sqliteStores } from '../../sqlite.js';
import { type Database, readScalar } from './database.js';
import { openDatabase } from './fixtures/driver.js';
import { prepareFile } from './schema.js';
import { createSqliteStores } from './stores.js';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-stores-'));
  file = join(folder, 'stores.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const ask = (database: Database, sql: string) => database.prepare(sql).all([]);

describe('stores in a file', () => {
  const open = () => {
    const clock = fakeClock(1000);
    const openSecond = () => sqliteStores(file, { clock });
    return { stores: openSecond(), openSecond, advance: (ms: number) => clock.advance(ms) };
  };
  for (const { name, run } of storeCases(open)) it(name, run);

  it('use the system time by default', async () => {
    const openSecond = () => sqliteStores(file, { maxValueSize: 200, pollInterval: 5 });
    const cases = storeCases(() => ({ stores: openSecond(), openSecond, maxValueSize: 200 }));
    for (const { name, run } of cases)
      if (/has had its time|too large|the others/.test(name)) {
        await run();
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
      }
  });

  it.skipIf(process.platform === 'win32')('are readable for their owner only, with all files beside', async () => {
    const stores = sqliteStores(file);
    await stores.values.put('a', { secret: true });
    const modes = readdirSync(folder).map(name => [name, statSync(join(folder, name)).mode & 0o777]);
    expect(modes).toEqual(['stores.db', 'stores.db-shm', 'stores.db-wal'].map(name => [name, 0o600]));
    await stores.close();
  });

  it.skipIf(process.platform === 'win32')('leave a file readable for the group if its owner has set that', async () => {
    writeFileSync(file, '', { mode: 0o640 });
    chmodSync(file, 0o640);
    await sqliteStores(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('refuse a read-only file when they are opened', async () => {
    await sqliteStores(file).close();
    const openReadOnly = () => {
      const database = openDatabase(file);
      database.exec('PRAGMA query_only = 1');
      return database;
    };
    expect(() => createSqliteStores(file, openReadOnly, {})).toThrow(
      expect.objectContaining({ code: 'store/read-only' }),
    );
  });

  it.skipIf(process.platform === 'win32')('fail once the file is deleted or replaced', async () => {
    const stores = sqliteStores(file);
    await stores.values.put('a', { n: 1 });
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const lost = { code: 'store/file-replaced' };
    await expect(stores.values.put('a', { n: 2 })).rejects.toMatchObject(lost);
    await expect(stores.values.get('a')).rejects.toMatchObject(lost);
    const second = sqliteStores(file);
    await second.values.put('a', { n: 3 });
    await expect(stores.values.put('a', { n: 4 }, { version: 1 })).rejects.toMatchObject(lost);
    await expect(stores.bus.publish('a', {})).rejects.toMatchObject(lost);
    expect((await second.values.get('a'))?.value).toEqual({ n: 3 });
    await Promise.all([stores.close(), second.close()]);
  });

  it('checkpoint the log, so that it stays small', async () => {
    const { values, close } = sqliteStores(file);
    const filling = 'x'.repeat(50_000);
    for (const n of numbers(400)) await values.put(`k${n % 20}`, { n, filling });
    expect(statSync(`${file}-wal`).size).toBeLessThan(6_000_000);
    expect(statSync(file).size).toBeGreaterThan(900_000);
    await close();
  });

  it('delete expired values, and messages after a minute', async () => {
    const clock = fakeClock(1000);
    const { values, bus, close } = sqliteStores(file, { clock });
    for (const n of numbers(20)) await values.put(`k${n}`, {}, { ttl: 10 });
    for (const n of numbers(20)) await bus.publish('a', { n });
    clock.advance(59_999);
    for (const n of numbers(64)) await values.put(`l${n}`, {});
    for (const _ of numbers(63)) await bus.publish('a', {});
    const database = openDatabase(file);
    const counts = () => [
      ...ask(database, 'SELECT count(*) AS entries FROM entries'),
      ...ask(database, 'SELECT count(*) AS messages FROM messages'),
    ];
    expect(counts()).toEqual([{ entries: 64 }, { messages: 83 }]);
    clock.advance(1);
    for (const _ of numbers(64)) await bus.publish('a', {});
    expect(counts()).toEqual([{ entries: 64 }, { messages: 127 }]);
    await close();
  });

  it('keep at most the last 10,000 messages', async () => {
    const { bus, close } = sqliteStores(file);
    const database = openDatabase(file);
    ask(database, "INSERT INTO messages (id, origin, topic, text, at) VALUES (20000, '', 'a', '{}', 9e15)");
    ask(database, "INSERT INTO messages (id, origin, topic, text, at) VALUES (9990, '', 'a', '{}', 9e15)");
    for (const _ of numbers(64)) await bus.publish('a', {});
    expect(ask(database, 'SELECT min(id) AS least FROM messages')).toEqual([{ least: 20_000 }]);
    await close();
  });

  it('limit their size until values expire', async () => {
    const clock = fakeClock(1000);
    const { values, close } = sqliteStores(file, { clock, maxBytes: 1_000_000 });
    const filling = 'x'.repeat(90_000);
    const refused = (async () => {
      for (const n of numbers(30)) await values.put(`k${n}`, { filling }, { ttl: 1000 });
    })();
    await expect(refused).rejects.toMatchObject({ code: 'store/full', hint: expect.stringContaining('`maxBytes`') });
    const count = (await values.list('')).length;
    expect(count).toBeGreaterThan(5);
    expect(statSync(file).size).toBeLessThanOrEqual(1_000_000);
    clock.advance(1000);
    expect(await values.put('k', { filling })).toBe(1);
    await close();
  });

  it('wait for a process that locks the file, and report when it takes too long', async () => {
    const clock = fakeClock();
    const { values, bus, close } = sqliteStores(file, { clock, busyTimeout: 100 });
    const holder = openDatabase(file);
    holder.exec('BEGIN IMMEDIATE');
    const outcomes = vi.fn();
    values.put('a', {}).catch(outcomes);
    bus.publish('a', {}).catch(outcomes);
    for (; clock.now() < 100; clock.advance(1)) {
      await new Promise(setImmediate);
      expect(outcomes).not.toHaveBeenCalled();
    }
    await vi.waitFor(() => {
      clock.advance(1);
      expect(outcomes).toHaveBeenCalledTimes(2);
    });
    for (const [reason] of outcomes.mock.calls) expect(reason).toMatchObject({ code: 'store/busy' });
    expect(await values.get('a')).toBeUndefined();

    const writing = Promise.all([values.put('a', { n: 1 }), values.put('a', { n: 2 })]);
    for (let ms = 0; ms < 50; ms++) {
      await new Promise(setImmediate);
      clock.advance(1);
    }
    holder.exec('COMMIT');
    const written = vi.fn();
    void writing.then(written);
    await vi.waitFor(() => {
      clock.advance(1);
      expect(written).toHaveBeenCalledWith([1, 2]);
    });
    expect((await values.get('a'))?.value).toEqual({ n: 2 });
    await close();
  });

  it('fill their buckets although the time of day was set back', async () => {
    const clock = fakeClock(3_600_000);
    const { buckets, close } = sqliteStores(file, { clock });
    const take = () => buckets?.take('a', { burst: 1, perSecond: 1 });
    expect([await take(), await take()]).toEqual([0, 1000]);
    clock.setTime(0);
    expect([await take(), await take()]).toEqual([0, 1000]);
    await close();
  });

  it('poll for messages only with a listener', async () => {
    const clock = fakeClock(1000);
    const { bus, values, close } = sqliteStores(file, { clock });
    await values.put('a', {}, { ttl: 10 });
    await bus.publish('a', {});
    expect(clock.timers).toBe(0);
    const ends = [bus.subscribe('a', () => {}), bus.subscribe('b', () => {})];
    expect(clock.timers).toBe(1);
    clock.advance(500);
    expect(clock.timers).toBe(1);
    for (const end of ends) end();
    expect(clock.timers).toBe(0);
    bus.subscribe('a', () => {});
    await close();
    expect(clock.timers).toBe(0);
  });

  it('read on at once when many messages are pending', async () => {
    const clock = fakeClock(1000);
    const [stores, other] = [sqliteStores(file, { clock }), sqliteStores(file)];
    let receivedCount = 0;
    stores.bus.subscribe('a', () => receivedCount++);
    for (const n of numbers(250)) await other.bus.publish('a', { n });
    clock.advance(50);
    await new Promise(setImmediate);
    expect(receivedCount).toBe(250);
    await Promise.all([stores.close(), other.close()]);
  });

  it('sync to the disk for values, and not for messages', async () => {
    const opened: Database[] = [];
    const { close } = createSqliteStores(file, () => opened[opened.push(openDatabase(file)) - 1] as Database, {});
    // 2 is FULL, 1 is NORMAL. https://www.sqlite.org/pragma.html#pragma_synchronous
    expect(opened.map(each => readScalar(each, 'PRAGMA synchronous'))).toEqual([2, 1]);
    await close();
  });

  it('report once that messages cannot be read, and continue', async () => {
    const clock = fakeClock(1000);
    const errors: TenonError[] = [];
    const stores = sqliteStores(file, { clock, onError: error => errors.push(error) });
    const received: unknown[] = [];
    stores.bus.subscribe('a', ({ n }) => received.push(n));
    const database = openDatabase(file);
    database.exec('ALTER TABLE messages RENAME TO gone');
    clock.advance(500);
    expect(errors).toMatchObject([{ code: 'store/failed' }]);
    database.exec('ALTER TABLE gone RENAME TO messages');
    const other = sqliteStores(file);
    await other.bus.publish('a', { n: 1 });
    clock.advance(100);
    await new Promise(setImmediate);
    expect([received, errors.length]).toEqual([[1], 1]);
    await Promise.all([stores.close(), other.close()]);
  });

  it('name the file in their errors', async () => {
    const stores = sqliteStores(file);
    ask(openDatabase(file), 'DROP TABLE entries');
    const error = await stores.values.put('the-key', { secret: 'the-value' }).catch(String);
    expect(error).toContain(file);
    expect(error).not.toMatch(/the-key|the-value/);
    await stores.close();
  });
});

describe('a file that cannot be used', () => {
  const refusal = () => {
    try {
      sqliteStores(file);
    } catch (error) {
      return error as TenonError;
    }
    throw new Error('the file was taken');
  };

  it('is not opened when it is no database', () => {
    writeFileSync(file, 'a letter to somebody\n'.repeat(1000));
    const before = readFileSync(file);
    expect(refusal()).toMatchObject({ code: 'store/unreadable', hint: expect.any(String) });
    expect(refusal().message).toContain(file);
    expect(readFileSync(file)).toEqual(before);
  });

  it('is reported as damaged', async () => {
    const stores = sqliteStores(file);
    for (const n of numbers(200)) await stores.values.put(`k${n}`, { filling: 'x'.repeat(1000) });
    ask(openDatabase(file), 'PRAGMA wal_checkpoint(TRUNCATE)');
    await stores.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096 * 2);
    writeFileSync(file, bytes);
    const again = sqliteStores(file);
    const reading = again.values.list('').then(() => again.values.get('k1'));
    await expect(reading).rejects.toMatchObject({ code: 'store/unreadable' });
    await again.close();
  });

  it('is left unchanged when it belongs to another program', () => {
    const database = openDatabase(file);
    database.exec('CREATE TABLE theirs (a)');
    expect(refusal()).toMatchObject({ code: 'store/schema' });
    expect(ask(openDatabase(file), 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'delete' }]);
    expect(ask(database, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'theirs' }]);
  });

  it('is left unchanged when a later version has written it', async () => {
    await sqliteStores(file).close();
    ask(openDatabase(file), 'PRAGMA user_version = 2');
    expect(refusal()).toMatchObject({ code: 'store/schema', expected: 'schema 1', received: 'schema 2' });
  });

  it('is not created in a missing folder', () => {
    file = join(folder, 'none', 'stores.db');
    expect(refusal()).toMatchObject({ code: 'store/failed', message: expect.stringContaining(file) });
  });

  it('is not opened without the driver, which the error names', () => {
    const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };
    const load = loader._load;
    loader._load = (name, ...rest) => {
      if (name === 'libsql') throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
      return load(name, ...rest);
    };
    try {
      expect(refusal()).toMatchObject({ code: 'store/no-driver', hint: 'run `npm install libsql`' });
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      loader._load = load;
    }
  });

  it('may have any name', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      await sqliteStores(':memory:').close();
      expect(readdirSync('.')).toContain(':memory:');
    } finally {
      process.chdir(before);
    }
  });

  it('waits for another process that is creating it', () => {
    const [one, other] = [openDatabase(file), openDatabase(file)];
    let held = 0;
    const slow: Database = {
      ...other,
      prepare: sql => other.prepare(sql),
      close: () => {},
      exec(sql) {
        if (held++ === 0) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
        if (held === 2) prepareFile(one, file);
        return other.exec(sql);
      },
    };
    prepareFile(slow, file);
    expect(held).toBe(3);
    expect(ask(other, 'PRAGMA user_version')).toEqual([{ user_version: 1 }]);
  });
});
