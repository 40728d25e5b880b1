import { fakeClock } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import { createAuditAnchors, readAuditAnchors } from './audit-anchors.js';
import { createAuditLog } from './fixtures/audit-log.js';

const INTERVAL = 10_000;

function setUp() {
  const clock = fakeClock(1000);
  const { values } = memoryStores({ clock });
  const onError = vi.fn();
  const open = async (replica: string, last?: string) => {
    const log = await createAuditLog({ replica, last });
    const anchors = createAuditAnchors({ audit: log.audit, values, clock, interval: INTERVAL, onError });
    if (anchors === undefined) throw new Error('no anchors');
    return { ...log, anchors };
  };
  return { clock, values, onError, open };
}

const parse = (line: string | undefined) => JSON.parse(line ?? '{}') as { [name: string]: unknown };

describe('anchors of audit logs', () => {
  it('store the position of each log, and link the logs of the replicas to each other [so.audit-order]', async () => {
    const { values, open } = setUp();
    const [one, two] = [await open('one'), await open('two')];
    await one.audit.write({ action: 'called' });
    await one.anchors.storeAnchor();
    await two.anchors.storeAnchor();
    expect(one.lines.map(line => parse(line).replica)).toEqual(['one', 'one', 'one']);
    const anchors = await readAuditAnchors(values);
    expect(anchors).toEqual([
      { replica: 'one', seq: 2, hash: parse(one.lines[2]).hash },
      { replica: 'two', seq: 1, hash: parse(two.lines[1]).hash },
    ]);
    expect(parse(two.lines[1])).toMatchObject({ record: 'anchored', anchors: [anchors[0]] });
  });

  it('are stored at intervals while there are events, and at the end', async () => {
    const { clock, values, open } = setUp();
    const { audit, lines, anchors } = await open('one');
    for (let n = 0; n < 5; n++) {
      clock.advance(INTERVAL);
      await vi.waitFor(() => expect(clock.timers).toBe(1));
    }
    expect(lines).toHaveLength(2);
    await audit.write({ action: 'called' });
    clock.advance(INTERVAL);
    await vi.waitFor(async () => expect(await readAuditAnchors(values)).toMatchObject([{ seq: 3 }]));
    await audit.write({ action: 'called' });
    await anchors.close();
    expect(await readAuditAnchors(values)).toMatchObject([{ seq: 5 }]);
    expect(clock.timers).toBe(0);
  });

  it('leave the events to the log while the store does not respond', async () => {
    const { clock, values, onError } = setUp();
    const { audit, lines } = await createAuditLog({ replica: 'one' });
    const get = vi.fn(async () => Promise.reject(new Error('down')));
    const anchors = createAuditAnchors({ audit, values: { ...values, get }, clock, interval: INTERVAL, onError });
    await audit.write({ action: 'called' });
    await anchors?.storeAnchor();
    expect(onError).toHaveBeenCalledTimes(1);
    expect(lines).toHaveLength(2);
  });

  it('are not overwritten for a log that has lost lines, or by another log with the same name', async () => {
    for (const replaces of [true, false]) {
      const { values, onError, open } = setUp();
      const { audit, lines, anchors } = await open('one');
      for (let n = 0; n < 3; n++) await audit.write({ action: 'called' });
      await anchors.storeAnchor();
      const before = await readAuditAnchors(values);
      const second = await open('one', replaces ? undefined : lines[1]);
      await second.audit.write({ action: 'called' });
      await second.anchors.storeAnchor();
      await second.anchors.close();
      expect(onError).toHaveBeenCalledTimes(1);
      expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'audit/not-anchored' }));
      expect(await readAuditAnchors(values)).toEqual(before);
    }
  });

  it('are tried until the store is closed, with one report for each time that it does not respond', async () => {
    const { clock, onError } = setUp();
    const stores = memoryStores({ clock });
    const { audit } = await createAuditLog({ replica: 'one' });
    let isDown = true;
    const get: typeof stores.values.get = async key =>
      isDown ? Promise.reject(new Error('down')) : stores.values.get(key);
    createAuditAnchors({ audit, values: { ...stores.values, get }, clock, interval: INTERVAL, onError });
    const advance = async () => {
      await audit.write({ action: 'called' });
      clock.advance(INTERVAL);
      await new Promise(resolve => setTimeout(resolve, 5));
    };
    for (let n = 0; n < 3; n++) await advance();
    expect([onError.mock.calls.length, clock.timers]).toEqual([1, 1]);
    isDown = false;
    await advance();
    await stores.close();
    for (let n = 0; n < 3; n++) await advance();
    expect(onError).toHaveBeenCalledTimes(2);
    expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ code: 'store/closed' }));
    expect(clock.timers).toBe(0);
  });

  it('belong to logs with the name of a replica', async () => {
    const { clock, values, onError } = setUp();
    const { audit } = await createAuditLog();
    expect(createAuditAnchors({ audit, values, clock, interval: INTERVAL, onError })).toBeUndefined();
    await expect(createAuditLog({ replica: 'a/b' })).rejects.toMatchObject({ code: 'audit/replica' });
  });

  it('keep the name of a log that exists', async () => {
    const { lines } = await createAuditLog({ replica: 'one' });
    const { audit } = await createAuditLog({ replica: 'two', last: lines[0] });
    expect(audit.replica).toBe('one');
  });
});
