import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/**
 * Files that may take part in one plain call. Someone who follows a call reads all of them, so that a change that adds a
 * file needs a better reason than order. `call-files.mjs` defines when a file takes part.
 */
const MAX_CALL_FILES = 28;

const script = fileURLToPath(new URL('call-files.mjs', import.meta.url));

describe('one plain tools/call over HTTP on Node', () => {
  it(`runs functions of at most ${MAX_CALL_FILES} files of the library`, { timeout: 30_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script]);
    const files: string[] = JSON.parse(stdout);
    expect(files).toContain('runtimes/node/http/http-server.ts');
    expect(files).toContain('server/dispatch.ts');
    expect(files.slice(MAX_CALL_FILES)).toEqual([]);
  });
});
