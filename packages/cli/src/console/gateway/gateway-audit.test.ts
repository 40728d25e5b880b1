import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAudit } from '@tenon/host';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayAudit } from './gateway-audit.js';

let folder: string;
let files: string[];
let time = Date.parse('2026-11-27T10:00:00Z');
const clock = { now: () => (time += 1000), elapsed: () => (time += 1000), after: () => () => {} };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-audit-'));
  files = ['a', 'b'].map(name => join(folder, `${name}.jsonl`));
  const [a, b] = await Promise.all(files.map((file, index) => openAudit(file, { clock, replica: `r${index}` })));
  for (let count = 0; count < 120; count += 1) {
    const call = { server: 'notes', kind: 'tool', name: count % 2 === 0 ? 'add' : 'read' } as const;
    await a?.write({ ...call, action: 'called', principal: 'ada' });
    await b?.write({ ...call, action: count === 3 ? 'denied' : 'answered', reason: 'größe "x"' });
  }
  await Promise.all([a?.close(), b?.close()]);
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

const read = (query = '') => new GatewayAudit({ files }).read(new URLSearchParams(query));

it('returns the entries of all replicas in pages, the newest first, and each once [con.audit]', async () => {
  const times: string[] = [];
  let next: string | null = '';
  for (let pages = 0; next !== null && pages < 5; pages += 1) {
    const page = await read(next === '' ? '' : `before=${next}`);
    expect(page.count).toBe(240);
    times.push(...page.entries.map(entry => entry.time));
    next = page.next;
  }
  expect(times).toHaveLength(240);
  expect(times).toEqual([...new Set(times)].sort().reverse());
});

it('selects entries by caller, tool, action, time and text [con.audit]', async () => {
  expect((await read('caller=ada')).count).toBe(120);
  expect((await read('caller=-')).count).toBe(120);
  expect((await read('tool=notes/add')).count).toBe(120);
  expect((await read('action=denied')).entries).toMatchObject([{ action: 'denied', replica: 'r1', name: 'read' }]);
  expect((await read('action=none')).count).toBe(1);
  expect((await read(`text=${encodeURIComponent('größe "X"')}`)).count).toBe(120);
  const [newest] = (await read()).entries;
  expect((await read(`since=${newest?.time}`)).count).toBe(1);
  expect((await read(`until=${newest?.time}`)).count).toBe(239);
});

it('verifies all logs together, and finds a changed line [con.audit]', async () => {
  const audit = new GatewayAudit({ files });
  expect(await audit.verify()).toMatchObject({ ok: true, logs: [{ file: files[0], replica: 'r0' }, { ok: true }] });
  const anchors = async () => [{ replica: 'r9', seq: 4, hash: 'x' }];
  expect(await new GatewayAudit({ files, readAnchors: anchors }).verify()).toMatchObject({
    ok: false,
    missing: [{ replica: 'r9', seq: 4 }],
  });
  const [file = ''] = files;
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"ada"', '"eve"'));
  const { ok, logs } = await audit.verify();
  expect(ok).toBe(false);
  expect(logs[0]).toMatchObject({ ok: false, finding: { line: 2 } });
  await writeFile(file, text);
});

it('returns the error of a log that is not there', async () => {
  const { error, entries } = await new GatewayAudit({ files: ['/no/such/file'] }).read(new URLSearchParams());
  expect({ entries, code: error?.code }).toEqual({ entries: [], code: 'audit/none' });
});
