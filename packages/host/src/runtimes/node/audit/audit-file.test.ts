import { appendFile, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '@tenon/base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuditFileOptions, openAudit, openAuditFile } from './audit-file.js';
import { listAuditFiles } from './audit-file-names.js';
import { readAudit, verifyAuditFile } from './read-audit-file.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(folder, 'deep/audit.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const record = async (count: number, options: AuditFileOptions & { key?: string } = {}) => {
  const audit = await openAudit(path, options);
  await Promise.all(Array.from({ length: count }, (_, i) => audit.write({ action: 'called', name: `n${i}` })));
  await audit.close();
  return audit.head;
};
const contents = async (file: string) =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as { [name: string]: never });

describe('an audit file', () => {
  it('is readable for the next process, and not for other users', async () => {
    await record(3);
    const head = await record(2, { sync: 'batch' });
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true, lines: 6, head, torn: 0, files: [path] });
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(path, '..'))).toEqual(['audit.jsonl']);
    let bytes = 0;
    for await (const chunk of readAudit(path)) bytes += chunk.length;
    expect(bytes).toBe((await stat(path)).size);
  });

  it('contains all entries before it is closed, and none after', async () => {
    const audit = await openAudit(path);
    const writing = Array.from({ length: 50 }, () => audit.write({ action: 'asked' }));
    await audit.close();
    expect((await Promise.all(writing)).at(-1)?.seq).toBe(50);
    await expect(audit.write({ action: 'asked' })).rejects.toMatchObject({ code: 'audit/closed' });
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true, lines: 51 });
  });

  it('contains accepted entries when it is closed', async () => {
    const file = await openAuditFile(path);
    const lines = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(700_000));
    const stored = lines.map(line => file.append(line));
    await file.close();
    await Promise.all(stored);
    expect((await readFile(path, 'utf8')) === lines.map(line => `${line}\n`).join('')).toBe(true);
    await expect(file.append('c')).rejects.toMatchObject({ code: 'audit/closed' });
  });

  it('continues in further files, each bound to the one before', async () => {
    await record(40, { maxBytes: 2_000 });
    await record(40, { maxBytes: 2_000 });
    const files = await listAuditFiles(path);
    expect(files.length).toBeGreaterThan(6);
    expect(files.slice(0, 3).map(file => file.slice(folder.length))).toEqual(
      ['audit.jsonl', 'audit.2.jsonl', 'audit.3.jsonl'].map(name => `/deep/${name}`),
    );
    const [first, second] = await Promise.all([contents(files[0]!), contents(files[1]!)]);
    expect(first.at(-1)).toMatchObject({ record: 'turned', to: 'audit.2.jsonl' });
    expect(second[0]).toMatchObject({ record: 'continued', in: 'audit.2.jsonl', prev: first.at(-1)?.hash });
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true, files });
    await rm(files[3]!);
    expect(await verifyAuditFile(path)).toMatchObject({ ok: false, at: { file: files[4], line: 1 } });
  });

  it('names file and line of a finding', async () => {
    await record(40, { maxBytes: 2_000 });
    const [, , third = ''] = await listAuditFiles(path);
    await writeFile(third, (await readFile(third, 'utf8')).replace(/"name":"n\d+"/, '"name":"m"'));
    const verdict = await verifyAuditFile(path);
    expect(verdict).toMatchObject({ ok: false, at: { file: third, line: 2 } });
    expect(verdict.finding?.what).toContain('changed');
  });

  it('drops entries beyond its limits, and records that', async () => {
    const head = await record(60, { maxBytes: 2_000, maxFiles: 3 });
    const files = await listAuditFiles(path);
    expect(files).toHaveLength(3);
    expect(files[0]).not.toBe(path);
    const verdict = await verifyAuditFile(path);
    expect(verdict).toMatchObject({ ok: true, head });
    expect(verdict.unshown.join()).toContain('which were dropped');
    await record(1, { maxBytes: 2_000, maxFiles: 3 });
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true });
    // Nobody else may drop more of it.
    const [oldest = ''] = await listAuditFiles(path);
    await rm(oldest);
    expect(await verifyAuditFile(path)).toMatchObject({ ok: false, finding: { line: 1 } });
  });

  it('drops an incomplete last line, records that, and continues', async () => {
    await record(2);
    const complete = await readFile(path);
    const last = complete.lastIndexOf(10, complete.length - 2) + 1;
    for (let end = last + 1; end < complete.length; end += 1) {
      await writeFile(path, complete.subarray(0, end));
      expect(await verifyAuditFile(path)).toMatchObject({ ok: true, lines: 2, torn: end - last });
      await record(1);
      expect(await verifyAuditFile(path)).toMatchObject({ ok: true, lines: 4, torn: 0 });
      expect((await contents(path))[2]).toMatchObject({ record: 'torn', bytes: end - last });
    }
    await appendFile(path, Buffer.alloc(300_000));
    expect((await verifyAuditFile(path)).torn).toBe(300_000);
    await record(1);
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true, lines: 6, torn: 0 });
  }, 60_000);

  it('begins again where no complete line exists', async () => {
    await record(0);
    await truncate(path, 30);
    await record(1);
    expect((await contents(path)).map(({ record }) => record)).toEqual(['begun', 'torn', undefined]);
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true, lines: 3 });
  });

  it('continues where its process died while it opened a further file', async () => {
    await record(40, { maxBytes: 2_000 });
    const before = await listAuditFiles(path);
    // The line that names the next file, and no such file; half a line after it; an empty file; half a line in it.
    for (const half of [undefined, 'before', '', '{"half":']) {
      const [previous = '', last = ''] = (await listAuditFiles(path)).slice(-2);
      if (half === undefined || half === 'before') await rm(last);
      else await writeFile(last, half);
      if (half === 'before') await appendFile(previous, '{"half":');
      await record(1, { maxBytes: 2_000 });
      expect(await verifyAuditFile(path)).toMatchObject({ ok: true, torn: 0, files: before });
      const records = (await contents(last)).map(({ record }) => record);
      expect(records.slice(0, 2)).toEqual(['continued', half ? 'torn' : undefined]);
    }
  });

  it('refuses to continue after a changed line', async () => {
    await record(2);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"name":"n1"', '"name":"m1"'));
    await expect(openAudit(path)).rejects.toMatchObject({ code: 'audit/broken' });
    await writeFile(path, `${text}\n`);
    await expect(openAudit(path)).rejects.toMatchObject({ code: 'audit/broken' });
    await writeFile(path, text);
    await expect(openAudit(path, { key: 'a key of some length' })).rejects.toMatchObject({ code: 'audit/wrong-key' });
    await record(1);
    expect(await verifyAuditFile(path)).toMatchObject({ ok: true, lines: 4 });
  });

  it('belongs to one process at a time', async () => {
    const first = await openAuditFile(path);
    let later = 0;
    // Time flies for who waits.
    const hasty: Clock = {
      now: () => 0,
      elapsed: () => {
        later += 10_000;
        return later;
      },
      after(_ms, run) {
        const timer = setTimeout(run, 1);
        return () => clearTimeout(timer);
      },
    };
    await expect(openAuditFile(path, { clock: hasty })).rejects.toMatchObject({ code: 'audit/busy' });
    await first.close();
    await (await openAuditFile(path)).close();
  });

  it('is refused as soon as its process proves to be alive', async () => {
    // The time limit of the wait never passes, so only the sign of life can end it.
    const fast: Clock = {
      now: () => 0,
      elapsed: () => 0,
      after(ms, run) {
        const timer = setTimeout(run, ms / 20);
        return () => clearTimeout(timer);
      },
    };
    const first = await openAuditFile(path, { clock: fast });
    await expect(openAuditFile(path, { clock: fast })).rejects.toMatchObject({ code: 'audit/busy' });
    await first.close();
  });

  it('stops when another program has written to it', async () => {
    const audit = await openAudit(path);
    await audit.write({ action: 'asked' });
    await appendFile(path, 'x\n');
    await expect(audit.write({ action: 'asked' })).rejects.toMatchObject({ code: 'audit/not-alone' });
    await expect(audit.write({ action: 'asked' })).rejects.toMatchObject({ code: 'audit/not-alone' });
    await audit.close();
  });

  describe('after a failure of its storage', () => {
    const fail = async () => {
      let elapsed = 0;
      const clock: Clock = { ...systemClock, elapsed: () => elapsed };
      const audit = await openAudit(path, { maxBytes: 1, clock });
      await audit.write({ action: 'called', name: 'before' });
      // The next file cannot be created meanwhile.
      await rename(dirname(path), `${folder}/away`);
      const writing = audit.write({ action: 'called', name: 'meanwhile' });
      await expect(writing).rejects.toMatchObject({ code: 'audit/failed', hint: expect.stringMatching(/^check/) });
      const advance = (ms: number) => {
        elapsed += ms;
      };
      return { audit, advance, repair: () => rename(`${folder}/away`, dirname(path)) };
    };
    const list = async () => {
      const all = await Promise.all((await listAuditFiles(path)).map(contents));
      return all.flat().map(({ name }) => name);
    };

    it('refuses each event until it can be written again, and then continues with a valid record', async () => {
      const { audit, advance, repair } = await fail();
      advance(1_000);
      await expect(audit.write({ action: 'called', name: 'still' })).rejects.toMatchObject({ code: 'audit/failed' });
      await repair();
      // Attempts have a distance.
      await expect(audit.write({ action: 'called', name: 'soon' })).rejects.toMatchObject({ code: 'audit/failed' });
      advance(1_000);
      const writing = ['one', 'two'].map(name => audit.write({ action: 'called', name }));
      const heads = await Promise.all(writing);
      expect(audit.head).toEqual(heads[1]);
      await audit.close();
      expect(await verifyAuditFile(path)).toMatchObject({ ok: true, head: audit.head, torn: 0 });
      expect((await list()).filter(name => name !== undefined)).toEqual(['before', 'one', 'two']);
    });

    it('is not continued if lines are missing, and is unlocked when it is closed', async () => {
      const { audit, advance, repair } = await fail();
      await repair();
      const last = (await listAuditFiles(path)).at(-1) ?? '';
      await truncate(last, 0);
      advance(1_000);
      await expect(audit.write({ action: 'called' })).rejects.toMatchObject({ code: 'audit/broken' });
      await audit.close();
      expect(await readdir(dirname(path))).not.toContain('audit.jsonl.lock');
    });
  });

  it('reports that it does not exist', async () => {
    await expect(verifyAuditFile(path)).rejects.toMatchObject({ code: 'audit/none' });
    await record(0);
    await expect(verifyAuditFile(`${path}.2`)).rejects.toMatchObject({ code: 'audit/none' });
  });
});
