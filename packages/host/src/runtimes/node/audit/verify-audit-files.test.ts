import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from '@tenon/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStores } from '../../../../../tenon/src/stores/memory-stores.js';
import type { AuditAnchor } from '../../../security/audit/audit-anchor.js';
import { createAuditAnchors, readAuditAnchors } from '../../../security/audit/audit-anchors.js';
import { openAudit } from './audit-file.js';
import { verifyAuditFiles } from './verify-audit-files.js';

let folder: string;
let paths: string[];
let anchors: AuditAnchor[];

/** Writes the logs of three replicas, which anchor each other twice. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-audit-'));
  const clock = fakeClock(1000);
  const { values } = memoryStores({ clock });
  paths = ['a', 'b', 'c'].map(name => join(folder, `${name}.jsonl`));
  const logs = [];
  for (const [index, path] of paths.entries()) {
    const audit = await openAudit(path, { replica: `replica-${index}`, sync: 'batch' });
    const onError = () => {};
    logs.push({ audit, anchors: createAuditAnchors({ audit, values, clock, interval: 10_000, onError }) });
  }
  for (let round = 0; round < 2; round++)
    for (const log of logs) {
      await log.audit.write({ action: 'called', name: `tool ${round}` });
      await log.anchors?.storeAnchor();
    }
  for (const { audit } of logs) await audit.close();
  anchors = await readAuditAnchors(values);
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const verify = (given: readonly string[] = paths, isStoreKnown = true) =>
  verifyAuditFiles(given, isStoreKnown ? { anchors } : {});

async function changeLines(path: string, change: (lines: string[]) => string[]): Promise<void> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await writeFile(path, `${change(lines).join('\n')}\n`);
}

describe('the audit logs of several replicas', () => {
  it('verify together', async () => {
    const { ok, logs, missing } = await verify();
    expect({ ok, missing }).toEqual({ ok: true, missing: [] });
    expect(logs.map(({ replica, lines }) => [replica, lines])).toEqual([
      ['replica-0', 5],
      ['replica-1', 5],
      ['replica-2', 5],
    ]);
  });

  it('reveal a changed and a removed entry [so.audit-order]', async () => {
    const changes: ((lines: string[]) => string[])[] = [
      lines => lines.map((line, index) => (index === 1 ? line.replace('tool 0', 'tool 9') : line)),
      lines => lines.filter((_, index) => index !== 1),
    ];
    for (const change of changes) {
      const before = await readFile(paths[1] ?? '', 'utf8');
      await changeLines(paths[1] ?? '', change);
      const { ok, logs } = await verify();
      expect([ok, logs.map(each => each.ok)]).toEqual([false, [true, false, true]]);
      await writeFile(paths[1] ?? '', before);
    }
  });

  it('reveal missing entries at the end, by the store or by the other logs [so.audit-order]', async () => {
    await changeLines(paths[1] ?? '', lines => lines.slice(0, -1));
    const byStore = await verify();
    expect(byStore.logs[1]?.finding?.what).toContain('the record ends before line number 4');
    await changeLines(paths[1] ?? '', lines => lines.slice(0, -2));
    const byLogs = await verify(paths, false);
    expect([byLogs.ok, byLogs.logs.map(each => each.ok)]).toEqual([false, [true, false, true]]);
  });

  it('reveal a log that was rewritten [so.audit-order]', async () => {
    await rm(paths[1] ?? '');
    const audit = await openAudit(paths[1] ?? '', { replica: 'replica-1' });
    for (let n = 0; n < 9; n++) await audit.write({ action: 'called' });
    await audit.close();
    for (const isStoreKnown of [true, false]) {
      const { ok, logs } = await verify(paths, isStoreKnown);
      expect([ok, logs[1]?.finding?.what]).toEqual([false, expect.stringContaining('was rewritten')]);
    }
  });

  it('reveal a missing log [so.audit-order]', async () => {
    const [one = '', , three = ''] = paths;
    const { ok, missing } = await verify([one, three]);
    expect(ok).toBe(false);
    expect(missing).toMatchObject([{ replica: 'replica-1', seq: 4 }]);
    // Without the store, other logs may be elsewhere.
    expect(await verify([one, three], false)).toMatchObject({ ok: true, missing: [{ replica: 'replica-1' }] });
  });
});
