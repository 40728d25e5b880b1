import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAuditFiles } from './audit-file-names.js';
import { verifyAuditFile } from './read-audit-file.js';

const PROCESS = fileURLToPath(new URL('fixtures/audit-process.mjs', import.meta.url));

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-kill-'));
  program = join(folder, 'process.mjs');
  await build({ entryPoints: [PROCESS], outfile: program, bundle: true, format: 'esm', platform: 'node' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Lets it write for a while and kills it. Gives the numbers of the events that it said were kept. */
function killed(path: string, manner: string, key: string | undefined): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, path, manner, ...(key ? [key] : [])]);
    let said = '';
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += chunk;
    });
    child.stdout.on('data', chunk => {
      if (said === '') setTimeout(() => child.kill('SIGKILL'), Math.random() * 60);
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (_code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`it ended by itself: ${errors}`));
      else resolve(said.split('\n').slice(1, -1).map(Number));
    });
  });
}

describe('a record whose writer is killed again and again', () => {
  it.each([
    ['in pieces', 'pieces', 36, undefined],
    ['whole, with a key', 'whole', 12, 'a key of some length'],
  ])(
    'has nothing torn that is believed, and all that was kept, written %s',
    async (_, manner, kills, key) => {
      const path = join(folder, manner, 'audit.jsonl');
      const kept: number[] = [];
      let torn = 0;
      // On a busy machine a writer gets less far before it is killed: then it takes more of them to fill a file.
      const isFilled = async () => (await listAuditFiles(path)).length > 1 && (manner !== 'pieces' || torn > 3);
      for (let kill = 0; kill < kills || (kill < kills * 10 && !(await isFilled())); kill += 1) {
        kept.push(...(await killed(path, manner, key)));
        const verdict = await verifyAuditFile(path, { key });
        expect(verdict.problem).toBeUndefined();
        expect(verdict.head?.seq ?? -1).toBeGreaterThanOrEqual(kept.at(-1) ?? -1);
        if (verdict.torn > 0) torn += 1;
      }
      const files = await listAuditFiles(path);
      expect(files.length).toBeGreaterThan(1);
      const lines = (await Promise.all(files.map(file => readFile(file, 'utf8')))).join('').split('\n').slice(0, -1);
      const records = lines.map(line => JSON.parse(line) as { seq: number; record?: string; bytes?: number });
      // Each event that was said to be kept is there, and each half line that was found is told of, but for the last.
      expect(kept.filter(seq => records[seq]?.seq !== seq || records[seq]?.record !== undefined)).toEqual([]);
      expect(new Set(kept).size).toBe(kept.length);
      if (manner === 'pieces') {
        expect(torn).toBeGreaterThan(3);
        expect(records.some(({ record }) => record === 'torn')).toBe(true);
      }
    },
    120_000,
  );
});
