import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { createAuditLine } from './audit-line.js';
import { bytesOf, createAuditLog, linesOf } from './fixtures/audit-log.js';
import { verifyAudit } from './verify-audit.js';

const KEY = 'a key of some length';

let plain: string[];
let keyed: string[];
beforeAll(async () => {
  const make = async (key?: string) => {
    const { audit, lines } = await createAuditLog({ key });
    for (let i = 0; i < 12; i += 1) await audit.write({ action: 'called', server: 'ä', name: `tool-${i % 3}`, ms: i });
    return lines;
  };
  [plain, keyed] = await Promise.all([make(), make(KEY)]);
});

const bytes = (lines: readonly string[]) => new TextEncoder().encode(lines.map(line => `${line}\n`).join(''));
const verify = (lines: readonly string[], key?: string) => verifyAudit(linesOf(lines), { key });

/** The record made anew from its contents, as somebody would who can write all of it. */
async function forged(lines: readonly string[], change: (content: { [name: string]: unknown }) => object) {
  const result: string[] = [];
  let prev = '-';
  for (const [seq, text] of lines.entries()) {
    const { hash: _, mac: __, ...content } = JSON.parse(text) as { [name: string]: unknown };
    const { line, hash } = await createAuditLine({ ...change(content), seq, prev });
    result.push(line);
    prev = hash;
  }
  return result;
}

describe('verifyAudit', () => {
  it('accepts an intact log, in chunks of any length', async () => {
    for (const [lines, key] of [
      [plain, undefined],
      [keyed, KEY],
      [keyed, undefined],
    ] as const) {
      const complete = bytes(lines);
      for (const length of [1, 7, 4096]) {
        expect(await verifyAudit(bytesOf(complete, length), { key })).toMatchObject({ ok: true, lines: 13, torn: 0 });
      }
    }
  });

  it('detects any changed byte', async () => {
    const complete = bytes(plain);
    const place = fc.nat({ max: complete.length - 1 });
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Uint8Array.from(complete);
        changed[at]! ^= flip;
        const line = complete.subarray(0, at).filter(byte => byte === 10).length + 1;
        const verdict = await verifyAudit(bytesOf(changed));
        expect(verdict.ok && verdict.torn === 0).toBe(false);
        expect(verdict.lines).toBe(line - 1);
        if (verdict.finding) expect(verdict.finding.line).toBe(line);
      }),
      { numRuns: takeRuns(1500) },
    );
  });

  it('detects every changed byte of a signed line, with the key and without', async () => {
    const complete = bytes(keyed.slice(0, 2));
    const start = (keyed[0]?.length ?? 0) + 1;
    for (let at = start; at < complete.length - 1; at += 1) {
      const changed = Uint8Array.from(complete);
      changed[at]! ^= 1;
      for (const key of [KEY, undefined]) {
        expect(await verifyAudit(bytesOf(changed), { key })).toMatchObject({
          ok: false,
          finding: { line: 2 },
          lines: 1,
        });
      }
    }
  });

  it.each([
    ['deleted', (lines: string[], at: number) => lines.toSpliced(at, 1), 'missing'],
    ['twice', (lines: string[], at: number) => lines.toSpliced(at, 0, lines[at] ?? ''), 'repeated'],
    ['moved', (lines: string[], at: number) => lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''), ''],
    ['put in', (lines: string[], at: number) => lines.toSpliced(at, 0, '{}'), 'not a line'],
    ['empty', (lines: string[], at: number) => lines.toSpliced(at, 0, ''), 'not a line'],
  ])('detects a line that is %s', async (_, change, what) => {
    for (let at = 0; at < plain.length - 1; at += 1) {
      const verdict = await verify(change(plain, at));
      expect(verdict.ok).toBe(false);
      if (at > 0) expect(verdict.finding?.what).toContain(what);
      expect(verdict.lines).toBeLessThanOrEqual(at + 1);
    }
  });

  it('detects lines of another log', async () => {
    const { audit, lines } = await createAuditLog();
    await audit.write({ action: 'called' });
    expect(await verify([...plain.slice(0, 1), ...lines.slice(1)])).toMatchObject({ ok: false, finding: { line: 2 } });
    expect(await verify([...plain, ...lines])).toMatchObject({ ok: false, finding: { line: 14 } });
  });

  it('detects a missing beginning', async () => {
    expect((await verify(plain.slice(3))).finding).toEqual({ line: 1, what: '3 lines before it are missing' });
  });

  it('detects a rewritten log, by a key or by a stored head, and states when it has neither', async () => {
    const lines = await forged(plain, content => ({ ...content, server: 'other' }));
    const verdict = await verify(lines);
    expect(verdict.ok).toBe(true);
    expect(verdict.unshown.join()).toContain('it has no key');
    const { head } = await verify(plain);
    expect(await verifyAudit(linesOf(lines), { through: head })).toMatchObject({ ok: false, finding: { line: 13 } });
    expect(await verify(lines, KEY)).toMatchObject({ ok: false, finding: { line: 1 } });
    expect(await verify(await forged(keyed, content => content), KEY)).toMatchObject({ ok: false });
    expect(await verify(keyed, 'another key, as long')).toMatchObject({ ok: false, finding: { line: 1 } });
    expect((await verify(keyed)).unshown.join()).toContain('replacement of the whole record (give its key)');
  });

  it.each<[string, object[], number]>([
    ['begins as no record does', [{}], 1],
    ['begins in the midst', [{ record: 'begun' }, { record: 'begun' }], 2],
    ['says that it goes on elsewhere, and does not', [{ record: 'begun' }, { record: 'turned', to: 'a' }, {}], 3],
    [
      'goes on elsewhere than it said',
      [{ record: 'begun' }, { record: 'turned', to: 'a' }, { record: 'continued', in: 'b' }],
      3,
    ],
    ['goes on elsewhere and did not say so', [{ record: 'begun' }, { record: 'continued', in: 'b' }], 2],
  ])('detects a log that %s', async (_, contents, line) => {
    const lines = await forged(
      contents.map(content => JSON.stringify(content)),
      content => content,
    );
    expect(await verify(lines)).toMatchObject({ ok: false, finding: { line } });
  });

  it('detects lines without an HMAC after signed ones', async () => {
    const [first = ''] = keyed;
    const { hash: prev } = JSON.parse(first) as { hash: string };
    const { line } = await createAuditLine({ action: 'called', seq: 1, prev });
    expect(await verify([first, line])).toMatchObject({ ok: false, finding: { line: 2 } });
    expect(await verify([first, line], KEY)).toMatchObject({ ok: false, finding: { line: 2 } });
  });

  it('detects a missing end with a stored head, and states when it has none', async () => {
    const { head } = await verify(plain);
    const splits = plain.slice(0, 9);
    const verdict = await verify(splits);
    expect(verdict).toMatchObject({ ok: true, lines: 9, head: { seq: 8 } });
    expect(verdict.unshown.join()).toContain(
      'cut off at the end (store the head of the log elsewhere, and verify through it)',
    );
    expect(await verifyAudit(linesOf(splits), { through: head })).toMatchObject({ ok: false, finding: { line: 10 } });
    expect(await verifyAudit(linesOf([]), { through: head })).toMatchObject({ ok: false, finding: { line: 1 } });
    const complete = await verifyAudit(linesOf(plain), { through: head, key: undefined });
    expect(complete).toMatchObject({ ok: true });
    expect(complete.unshown.join()).toContain('after number 12');
  });

  it('states what it cannot detect of dropped lines', async () => {
    const dropped = { seq: 3, prev: JSON.parse(plain[3] ?? '').prev };
    const contents = [
      { record: 'continued', in: 'b', seq: 3, prev: dropped.prev },
      { record: 'turned', to: 'c' },
      { record: 'continued', in: 'c', dropped },
    ];
    const lines: string[] = [];
    let prev = dropped.prev;
    for (const [at, content] of contents.entries()) {
      const { line, hash } = await createAuditLine({ ...content, seq: 3 + at, prev });
      lines.push(line);
      prev = hash;
    }
    const unshown = async (seq?: number, hash = '-') => {
      const verdict = await verifyAudit(linesOf(lines), seq === undefined ? {} : { through: { seq, hash } });
      return { ok: verdict.ok, text: verdict.unshown.join() };
    };
    const complete = await unshown();
    expect(complete.ok).toBe(true);
    expect(complete.text).toContain('changes in the 3 lines before its beginning, which were dropped');
    expect(complete.text).not.toContain('changes before line number');
    const before = await unshown(2);
    expect([before.ok, before.text]).toEqual([
      true,
      expect.stringContaining('changes before line number 2, which was dropped'),
    ]);
    const first = await unshown(3, JSON.parse(lines[0] ?? '').hash);
    expect([first.ok, first.text]).toEqual([true, expect.not.stringContaining('changes before line number')]);
    expect((await verify(plain)).unshown.join()).not.toContain('which were dropped');
  });

  it('never accepts an incomplete line', async () => {
    const complete = bytes(plain);
    const last = complete.length - (plain.at(-1)?.length ?? 0) - 1;
    for (let end = last; end < complete.length; end += 1) {
      const verdict = await verifyAudit(bytesOf(complete.subarray(0, end), 100));
      expect(verdict).toMatchObject({ ok: true, lines: 12, torn: end - last, head: { seq: 11 } });
    }
  });

  it('limits its memory for an endless line', async () => {
    async function* endless() {
      for (let i = 0; i < 200; i += 1) yield new Uint8Array(64 * 1024).fill(65);
    }
    expect(await verifyAudit(endless())).toMatchObject({ ok: true, lines: 0, torn: 200 * 64 * 1024 });
  });
});
