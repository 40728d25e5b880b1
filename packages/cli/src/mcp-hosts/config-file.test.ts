import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfigText, writeConfigText } from './config-file.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-file-'));
  path = join(folder, 'mcp.json');
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, maxRetries: 10 });
});

const now = new Date('2026-11-23T20:05:17.123Z');
const write = (before: string | undefined, after: string) => writeConfigText({ path, before, after, now });

describe('the file of a configuration', () => {
  it('is not overwritten if another program has changed it since it was read', async () => {
    writeFileSync(path, 'theirs');
    await expect(write('ours', 'new')).rejects.toMatchObject({ code: 'hosts/changed' });
    await expect(write(undefined, 'new')).rejects.toMatchObject({ code: 'hosts/changed' });
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['theirs', ['mcp.json']]);
  });

  it.each([undefined, 'one'])(
    'is changed by one of several commands that have read %j at the same time',
    async before => {
      if (before !== undefined) writeFileSync(path, before);
      const texts = ['a', 'b', 'c', 'd', 'e'];
      const results = await Promise.allSettled(texts.map(text => write(before, text)));
      const written = texts.filter((_, index) => results[index]?.status === 'fulfilled');
      expect(written).toEqual([readFileSync(path, 'utf8')]);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'hosts/changed' });
      expect(readdirSync(folder).filter(name => !name.endsWith('.bak'))).toEqual(['mcp.json']);
    },
  );

  it('is replaced, and leaves a back-up and no other file', async () => {
    expect(await write(undefined, 'one')).toBeUndefined();
    expect(await write('one', 'two')).toBe(`${path}.20261123-200517-123.bak`);
    expect(readdirSync(folder).sort()).toEqual(['mcp.json', 'mcp.json.20261123-200517-123.bak']);
    expect(readFileSync(`${path}.20261123-200517-123.bak`, 'utf8')).toBe('one');
  });

  it('is refused if it is a folder, too large, or not UTF-8', async () => {
    mkdirSync(join(folder, 'sub'));
    await expect(readConfigText(join(folder, 'sub'))).rejects.toMatchObject({ code: 'hosts/read' });
    writeFileSync(path, Buffer.from([0x7b, 0xff]));
    await expect(readConfigText(path)).rejects.toThrow('it is not UTF-8');
    truncateSync(path, 2 ** 27);
    await expect(readConfigText(path)).rejects.toThrow('it is larger than 64 MiB');
    expect(await readConfigText(join(folder, 'missing'))).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'stays unchanged in a folder without write access',
    async () => {
      writeFileSync(path, 'one');
      chmodSync(folder, 0o500);
      await expect(write('one', 'two')).rejects.toMatchObject({ code: 'hosts/write' });
      expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['one', ['mcp.json']]);
    },
  );
});
