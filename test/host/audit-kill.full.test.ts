import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAuditFiles } from '../../packages/host/src/runtimes/node/audit/audit-file-names.js';
import { verifyAuditFile } from '../../packages/host/src/runtimes/node/audit/read-audit-file.js';
import { isFull } from '../support/extent.js';

const PROCESS = fileURLToPath(new URL('fixtures/audit-process.mjs', import.meta.url));

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-kill-'));
  program = join(folder, 'process.mjs');
  await build({ entryPoints: [PROCESS], outfile: program, bundle: true, format: 'esm', platform: 'node' });
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Kills a writer of audit events after a random time. Returns the numbers of the events that it reported as recorded. */
function killWriter(path: string, mode: string, key: string | undefined): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, path, mode, ...(key ? [key] : [])]);
    let output = '';
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += chunk;
    });
    child.stdout.on('data', chunk => {
      if (output === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * 60);
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', (_code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the writer ended by itself: ${errors}`));
      else resolve(output.split('\n').slice(1, -1).map(Number));
    });
  });
}

describe('an audit file after its process was killed many times', () => {
  it.each([
    ['in pieces', 'pieces', isFull ? 36 : 12, undefined],
    ['in one write, with a key', 'whole', isFull ? 12 : 4, 'a key of some length'],
  ])(
    'contains every event that was reported as recorded, and no incomplete line: written %s',
    async (_, mode, kills, key) => {
      const path = join(folder, mode, 'audit.jsonl');
      const recorded: number[] = [];
      let torn = 0;
      // On a busy machine a writer records less before it is killed, so more writers are needed to fill a file.
      const isFilled = async () => (await listAuditFiles(path)).length > 1 && (mode !== 'pieces' || torn > 3);
      for (let kill = 0; kill < kills || (kill < kills * 10 && !(await isFilled())); kill += 1) {
        recorded.push(...(await killWriter(path, mode, key)));
        const verdict = await verifyAuditFile(path, { key });
        expect(verdict.finding).toBeUndefined();
        expect(verdict.head?.seq ?? -1).toBeGreaterThanOrEqual(recorded.at(-1) ?? -1);
        if (verdict.torn > 0) torn += 1;
      }
      const files = await listAuditFiles(path);
      expect(files.length).toBeGreaterThan(1);
      const lines = (await Promise.all(files.map(file => readFile(file, 'utf8')))).join('').split('\n').slice(0, -1);
      const records = lines.map(line => JSON.parse(line) as { seq: number; record?: string; bytes?: number });
      // The file may end with one incomplete line that is not reported yet.
      expect(recorded.filter(seq => records[seq]?.seq !== seq || records[seq]?.record !== undefined)).toEqual([]);
      expect(new Set(recorded).size).toBe(recorded.length);
      if (mode === 'pieces') {
        expect(torn).toBeGreaterThan(3);
        expect(records.some(({ record }) => record === 'torn')).toBe(true);
      }
    },
    120_000,
  );
});
