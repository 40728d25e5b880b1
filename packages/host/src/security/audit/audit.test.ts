import type { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { createAudit, MAX_PENDING } from './audit.js';
import type { AuditEvent } from './audit-event.js';
import { MAX_LINE } from './audit-line.js';
import { createAuditLog, linesOf } from './fixtures/audit-log.js';
import { verifyAudit } from './verify-audit.js';

const contentOf = (line: string | undefined) => JSON.parse(line ?? '{}') as { [name: string]: never };
const codeOf = (error: TenonError) => error.code;

describe('an audit log', () => {
  it('contains a line for each event, numbered, timed, and bound to the one before', async () => {
    const clock = fakeClock(Date.UTC(2027, 0, 2));
    const { audit, lines } = await createAuditLog({ clock });
    const event: AuditEvent = {
      action: 'called',
      principal: 'ada',
      server: 'notes',
      kind: 'tool',
      name: 'add',
      rule: 3,
    };
    const head = await audit.write({ ...event, arguments: { b: 1, a: 'x' }, ms: 12, outcome: 'ok' });
    expect(lines).toHaveLength(2);
    const [begun, line] = lines.map(contentOf);
    expect(begun).toMatchObject({ record: 'begun', seq: 0, prev: '-', format: 1 });
    expect(line).toMatchObject({ ...event, seq: 1, time: '2027-01-02T00:00:00.000Z', prev: begun?.hash, ms: 12 });
    expect(line?.arguments).toEqual({ digest: expect.stringMatching(/^sha256-[\w-]{43}$/) });
    expect(head).toEqual({ seq: 1, hash: line?.hash });
    expect(audit.head).toEqual(head);
  });

  it('distinguishes two logs, and hashes equal arguments alike', async () => {
    const [one, other] = [await createAuditLog(), await createAuditLog()];
    expect(one.lines[0]).not.toBe(other.lines[0]);
    await one.audit.write({ action: 'asked', arguments: { a: 1, b: [2] } });
    await other.audit.write({ action: 'asked', arguments: { b: [2], a: 1 } });
    await other.audit.write({ action: 'asked', arguments: { b: [2], a: 2 } });
    const digests = [one.lines[1], other.lines[1], other.lines[2]].map(line => contentOf(line).arguments);
    expect(digests[0]).toEqual(digests[1]);
    expect(digests[0]).not.toEqual(digests[2]);
  });

  it('chains concurrent entries in the order of the calls', async () => {
    const { audit, lines } = await createAuditLog();
    const heads = await Promise.all(
      Array.from({ length: 300 }, (_, i) => audit.write({ action: 'called', name: `n${i}` })),
    );
    expect(heads.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    expect(lines.slice(1).map(line => contentOf(line).name)).toEqual(heads.map((_, i) => `n${i}`));
    expect(await verifyAudit(linesOf(lines))).toMatchObject({ ok: true, lines: 301, head: heads.at(-1) });
  });

  it('continues after the last line', async () => {
    const { audit, lines } = await createAuditLog();
    await audit.write({ action: 'asked' });
    const again = await createAuditLog({ last: lines.at(-1) });
    await again.audit.write({ action: 'allowed' });
    expect(await verifyAudit(linesOf([...lines, ...again.lines]))).toMatchObject({ ok: true, lines: 3 });
  });

  it('records an incomplete last line', async () => {
    const { lines } = await createAuditLog();
    const again = await createAuditLog({ last: lines.at(-1), torn: { bytes: 17, digest: 'sha256-x' } });
    expect(contentOf(again.lines[0])).toMatchObject({ record: 'torn', bytes: 17, digest: 'sha256-x', seq: 1 });
  });

  it('refuses to continue after an invalid line, or with another key', async () => {
    const { lines } = await createAuditLog();
    const last = lines.at(-1) ?? '';
    expect(await createAuditLog({ last: last.replace('begun', 'bogus') }).catch(codeOf)).toBe('audit/broken');
    expect(await createAuditLog({ last: '' }).catch(codeOf)).toBe('audit/broken');
    expect(await createAuditLog({ last, key: 'k'.repeat(16) }).catch(codeOf)).toBe('audit/wrong-key');
    const keyed = await createAuditLog({ key: 'k'.repeat(16) });
    const end = { last: keyed.lines.at(-1) };
    expect(await createAuditLog(end).catch(codeOf)).toBe('audit/wrong-key');
    expect(await createAuditLog({ ...end, key: 'l'.repeat(16) }).catch(codeOf)).toBe('audit/wrong-key');
    expect((await createAuditLog({ ...end, key: 'k'.repeat(16) })).audit.head.seq).toBe(0);
    expect(await createAuditLog({ key: 'k'.repeat(15) }).catch(codeOf)).toBe('audit/weak-key');
  });

  it('records nothing more after a line could not be written', async () => {
    let count = 0;
    const append = async () => {
      count += 1;
      if (count === 3) throw new Error('no space left');
    };
    const audit = await createAudit({ append });
    await audit.write({ action: 'asked' });
    await expect(audit.write({ action: 'called' })).rejects.toMatchObject({ code: 'audit/failed' });
    await expect(audit.write({ action: 'answered' })).rejects.toMatchObject({ code: 'audit/failed' });
    await audit.flush();
    expect(count).toBe(3);
  });

  it('refuses events when too many wait', async () => {
    let free = () => {};
    const gate = new Promise<void>(resolve => {
      free = resolve;
    });
    const audit = await createAudit({
      append: line => (line.includes('begun') ? Promise.resolve() : gate),
      maxPending: 2,
    });
    const waiting = [audit.write({ action: 'asked' }), audit.write({ action: 'asked' })];
    await expect(audit.write({ action: 'asked' })).rejects.toMatchObject({ code: 'audit/overloaded' });
    free();
    await Promise.all(waiting);
    await audit.write({ action: 'asked' });
    expect(MAX_PENDING).toBe(10_000);
  });

  it('survives an event that cannot be serialized', async () => {
    const redact = (text: string) => {
      if (text === 'bad') throw new Error('redaction failed');
      return text;
    };
    const { audit, lines } = await createAuditLog({ redact });
    await expect(audit.write({ action: 'asked', name: 'bad' })).rejects.toThrow('redaction failed');
    await audit.write({ action: 'asked', name: 'good' });
    expect(await verifyAudit(linesOf(lines))).toMatchObject({ ok: true, lines: 2 });
  });

  it('contains limited ASCII lines without secrets', async () => {
    const { audit, lines } = await createAuditLog({ arguments: 'redacted' });
    const huge = '\u202e😀'.repeat(200_000);
    const texts = { principal: huge, server: huge, name: huge, call: huge, reason: huge, outcome: huge };
    await audit.write({ action: 'called', ...texts, arguments: { huge }, details: { huge } });
    expect(lines.at(-1)?.length).toBeLessThan(MAX_LINE);
    expect(lines.at(-1)).toMatch(/^[ -~]+$/);
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
    await audit.write({ action: 'called', arguments: { deep }, details: { deep } });
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const args = {
      apiKey: 'hunter22',
      text: `use ${secret} now`,
      rows: [{ authorization: 'Bearer x' }],
      [secret]: 1,
      path: '/a/b',
    };
    await audit.write({ action: 'denied', reason: `Bearer ${secret}`, principal: 'ada', arguments: args });
    const line = lines.at(-1) ?? '';
    expect(line).not.toContain('ghp_');
    expect(line).not.toContain('hunter22');
    expect(contentOf(line).arguments).toMatchObject({
      values: { apiKey: '…', text: 'use … now', rows: [{ authorization: '…' }], '…': 1, path: '/a/b' },
    });
    expect(await verifyAudit(linesOf(lines))).toMatchObject({ ok: true, lines: 4 });
  });

  it('continues in another file, which begins with the last hash', async () => {
    const places: string[] = ['a'];
    const stored: string[] = [];
    let perPlace = 0;
    const audit = await createAudit({
      append: async line => {
        perPlace += 1;
        stored.push(line);
      },
      getFullReason: () => (perPlace >= 3 ? `${places.at(-1)}+` : undefined),
      rotate: (name, { seq, prev }) => {
        places.push(name);
        perPlace = 0;
        return { seq, prev };
      },
    });
    for (let i = 0; i < 6; i += 1) await audit.write({ action: 'asked' });
    const contents = stored.map(contentOf);
    expect(contents.flatMap(({ record }) => record ?? [])).toEqual([
      'begun',
      'turned',
      'continued',
      'turned',
      'continued',
    ]);
    expect(places).toEqual(['a', 'a+', 'a++']);
    expect(await verifyAudit(linesOf(stored))).toMatchObject({ ok: true, lines: 11 });
  });
});
