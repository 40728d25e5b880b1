import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLastAuditFile } from '../../../../../host/src/runtimes/node/audit/open-audit-file.js';
import { sqliteStores } from '../../../../../tenon/src/runtimes/node/sqlite-stores.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 10 }));
const create = (mode: number): string => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
};
const readMode = (path: string) => statSync(path).mode & 0o777;

describe.runIf(process.platform !== 'win32')('an existing file with secrets', () => {
  it('is made private if other users can only read it', async () => {
    const stores = sqliteStores(create(0o644));
    expect(readMode(join(folder, 'file'))).toBe(0o600);
    await stores.close();
    const { file } = await openLastAuditFile(create(0o604));
    expect(readMode(join(folder, 'file'))).toBe(0o600);
    await file.close();
  });

  it.each([0o666, 0o660, 0o602])('is refused if other users can write it: mode %o', async mode => {
    const path = create(mode);
    expect(() => sqliteStores(path)).toThrow(expect.objectContaining({ code: 'store/permissions' }));
    await expect(openLastAuditFile(path)).rejects.toMatchObject({
      code: 'audit/permissions',
      message: expect.stringContaining('chmod 600'),
    });
    expect(readMode(path)).toBe(mode);
  });

  it('keeps the mode of a folder that is given in place of a file', async () => {
    chmodSync(folder, 0o755);
    expect(() => sqliteStores(folder)).toThrow(expect.objectContaining({ code: expect.stringContaining('store/') }));
    await expect(openLastAuditFile(folder)).rejects.toThrow(/EISDIR|directory|folder/);
    expect(readMode(folder)).toBe(0o755);
  });
});
