import { hashSha256 } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { createAuditLine, createAuditSigner, MAX_LINE, parseAuditLine } from './audit-line.js';

const NO_LINE = 'it is not a line of an audit record';

describe('parseAuditLine', () => {
  it.each([{}, { seq: 1 }, { prev: '-' }, { seq: 1.5, prev: '-' }, { seq: 1, prev: 2 }])(
    'refuses a line without a number and the previous hash, though its hash is right: %j',
    async content => {
      expect(await parseAuditLine((await createAuditLine(content)).line)).toBe(NO_LINE);
    },
  );

  it('refuses a line that is no JSON, though its hash is right', async () => {
    const body = '{"seq":1,"prev":}';
    const line = `${body.slice(0, -1)},"hash":"${await hashSha256(body)}"}`;
    expect(await parseAuditLine(line)).toBe(NO_LINE);
  });

  it('accepts at most as many characters as the limit', async () => {
    const create = (length: number) => createAuditLine({ seq: 1, prev: '-', text: 'a'.repeat(length) });
    const { length } = (await create(0)).line;
    expect(await parseAuditLine((await create(MAX_LINE - length)).line)).toMatchObject({ seq: 1 });
    expect(await parseAuditLine((await create(MAX_LINE - length + 1)).line)).toContain('longer than');
  });

  it('requires a signing key of 16 bytes or more', () => {
    expect(() => createAuditSigner('a'.repeat(15))).toThrow('too short');
    expect(() => createAuditSigner('a'.repeat(16))).not.toThrow();
    expect(() => createAuditSigner(new Uint8Array(16))).not.toThrow();
  });
});
