import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, createServer, tasks } from 'tenon';
import { sqliteStores } from 'tenon/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { isFull } from '../support/extent.js';

const KILLS = isFull ? 50 : 5;
const AT_ONCE = 5;
/** About how long ten steps take, and a little more, so that some die when all is done. */
const LONGEST = 120;

let program: string;
let folder: string;
const alive = new Set<ChildProcess>();

beforeAll(async () => {
  program = bundle('test/tasks/crash-worker.ts');
  folder = mkdtempSync(join(tmpdir(), 'tenon-crash-'));
});

afterAll(() => {
  for (const child of alive) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** A worker, and the lines that it says. */
function worker(file: string, effectsFile: string, begin = '') {
  const child = spawn(process.execPath, [program, file, effectsFile, begin], { stdio: ['pipe', 'pipe', 'inherit'] });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  const response = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  return {
    child,
    hears: (word: string) =>
      new Promise<string>((resolve, reject) => {
        response.on('line', line => line.startsWith(`${word} `) && resolve(line.slice(word.length + 1)));
        child.once('exit', code => code && reject(new Error(`the worker ended by itself: ${code}`)));
      }),
    end: (signal?: 'SIGKILL') =>
      new Promise<void>(resolve => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        if (signal) child.kill(signal);
        else child.stdin?.end();
      }),
  };
}

interface Ended {
  readonly status: string;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
}

/** How often a task was taken over from a process that was dead, or believed so. */
function takeovers(effectsFile: string, id: string): number {
  return readFileSync(effectsFile, 'utf8').split(`took ${id}\n`).length - 1;
}

type Line = { readonly what: 'ran' | 'kept'; readonly name: string; readonly step: number; readonly run: string };

function readEffects(effectsFile: string): Line[] {
  return readFileSync(effectsFile, 'utf8')
    .trim()
    .split('\n')
    .filter(line => !line.startsWith('took '))
    .map(line => {
      const [what, name, step, run] = line.split(' ') as ['ran' | 'kept', string, string, string];
      return { what, name, step: Number(step), run };
    });
}

/** The steps of a task that ran again. Fails when one did that was in the record before. */
function ranAgain(lines: readonly Line[], result: readonly string[]): number[] {
  const again: number[] = [];
  for (let step = 0; step < 10; step++) {
    const own = lines.filter(line => line.step === step);
    const runs = own.filter(({ what }) => what === 'ran').map(({ run }) => run);
    const stored = new Set(own.filter(({ what }) => what === 'kept').map(({ run }) => run));
    // What was told of is one run, the last one, whoever asked for it.
    expect([...stored]).toEqual([result[step]]);
    expect(runs.at(-1)).toBe(result[step]);
    const firstStored = own.findIndex(({ what }) => what === 'kept');
    expect(own.slice(firstStored).every(({ what }) => what === 'kept')).toBe(true);
    if (runs.length > 1) again.push(step);
  }
  return again;
}

/** Looks at tasks as another process that has the same file. */
async function reader(file: string) {
  const stores = sqliteStores(file);
  const server = createServer({ name: 'reader', version: '1', stores, extensions: [tasks({ maxRunning: 0 })] });
  const client = await connect(server, { tasks: false, extensions: [{ id: 'io.modelcontextprotocol/tasks' }] });
  return {
    async isOver(taskId: string): Promise<boolean> {
      const { status } = (await client.call('tasks/get', { taskId })) as unknown as Ended;
      return status !== 'working';
    },
    async result(taskId: string): Promise<string[]> {
      const { status, result } = (await client.call('tasks/get', { taskId })) as unknown as Ended;
      expect(status).toBe('completed');
      return JSON.parse(result?.content[0]?.text ?? '[]');
    },
    async end() {
      await client.close();
      server.close();
      await stores.close();
    },
  };
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await soon(50);
}

const soon = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe('a task whose process is killed', () => {
  it(`\`completes every step after ${KILLS} random kills, and repeats none that was recorded\``, async () => {
    const [file, effectsFile] = [join(folder, 'kills.db'), join(folder, 'kills.log')];
    writeFileSync(effectsFile, '');
    const survivor = worker(file, effectsFile);
    const looks = await reader(file);
    const trial = async (name: string) => {
      const victim = worker(file, effectsFile, name);
      const id = await victim.hears('began');
      await soon(Math.random() * LONGEST);
      await victim.end('SIGKILL');
      await until(() => looks.isOver(id));
      return id;
    };

    const byName = new Map<string, string>();
    const names = Array.from({ length: KILLS }, (_, at) => `t${at}`);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let name = names.shift(); name !== undefined; name = names.shift()) byName.set(name, await trial(name));
      }),
    );
    await survivor.end();

    const lines = readEffects(effectsFile);
    let twice = 0;
    for (const [name, id] of byName) {
      const own = lines.filter(line => line.name === name);
      const again = ranAgain(own, await looks.result(id));
      // A process that takes a task over may be killed in its turn: each may cut one step, which was in nobody's record.
      expect(again.length).toBeLessThanOrEqual(takeovers(effectsFile, id));
      twice += again.length;
    }
    await looks.end();
    expect(byName.size).toBe(KILLS);
    console.log(`${KILLS} kills: ${twice} steps were cut in the middle and ran again, all others once`);
  });

  it.runIf(isFull)(
    'completes after repeated restarts of the only process',
    async () => {
      const [file, effectsFile] = [join(folder, 'restarts.db'), join(folder, 'restarts.log')];
      writeFileSync(effectsFile, '');
      const looks = await reader(file);
      let running = worker(file, effectsFile, 'only');
      const id = await running.hears('began');
      let kills = 0;
      for (; !(await looks.isOver(id)); kills++) {
        await soon(Math.random() * 30);
        await running.end('SIGKILL');
        running = worker(file, effectsFile);
        await Promise.race([running.hears('took'), until(() => looks.isOver(id))]);
      }
      await running.end();
      const again = ranAgain(readEffects(effectsFile), await looks.result(id));
      await looks.end();
      expect(kills).toBeGreaterThan(1);
      expect(again.length).toBeLessThanOrEqual(takeovers(effectsFile, id));
    },
    60_000,
  );
});
