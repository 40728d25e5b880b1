/** The command as its users start it, a process of its own, and the same in this process where a process changes nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { exitCodes } from '../../packages/cli/src/exit-codes.js';
import { run } from '../../packages/cli/src/program.js';
import { createScreen } from '../../packages/cli/src/screen.js';
import { createTerminal } from '../../packages/cli/src/terminal.js';
import { bundleSettings } from '../../scripts/build-command.mjs';
import { buildConsole } from '../../scripts/build-console.mjs';
import { isBuilt } from '../../scripts/is-built.mjs';
import { isFull } from '../support/extent.js';
import { checkJsonLine, checkJsonOutput } from './json-schemas.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The built command: what users install. */
const dist = join(root, 'packages/cli/dist/tenon.mjs');
/** Beside the packages that the command needs. The set-up of a run deletes it at the end. */
const built = join(root, 'packages/cli/.cache', `test-${process.ppid}`, String(process.pid));
const shop = join(built, 'shop.mjs');
let program = dist;

let building: Promise<void> | undefined;

/**
 * Prepares the command, and the server of the fixtures, once for all files of one worker.
 *
 * `npm test` builds first, so it runs the built command. `npx vitest run` after a change must not run an older one: the
 * sources are then bundled with the settings of the build, together with those of the library, which takes less time.
 */
export function buildCommand(): Promise<void> {
  building ??= build();
  return building;
}

async function build(): Promise<void> {
  const hasBuilt = isBuilt();
  program = hasBuilt ? dist : join(built, 'tenon.mjs');
  const sources = ['tenon', 'dev-process', 'serve/serve-export'].map(name => [
    name,
    join(root, `packages/cli/src/${name}.ts`),
  ]);
  await esbuild.build({
    ...bundleSettings,
    entryPoints: Object.fromEntries([['shop', join(root, 'test/cli/fixtures/shop.ts')], ...(hasBuilt ? [] : sources)]),
    outdir: built,
    packages: 'external',
  });
}

/** Builds the page of the console beside the command, for tests that open it. */
export async function buildConsolePage(): Promise<void> {
  if (!isBuilt()) await buildConsole(join(built, 'console'));
}

/** The command line of the official server of version 1 that has every feature. */
export const EVERYTHING = [
  process.execPath,
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
];

/** The server of the fixtures, as a configuration names it. */
export const shopEntry = (...args: string[]) => ({ command: process.execPath, args: [shop, ...args] });

/** How a client starts the command. */
export const commandLine = (folder: string, ...args: string[]) => ({
  command: process.execPath,
  args: [program, ...args],
  // The process would write compiled code when it ends, into a folder that the test removes.
  env: { TENON_HOME: join(folder, 'home'), PATH: process.env.PATH ?? '', NODE_DISABLE_COMPILE_CACHE: '1' },
  cwd: folder,
});

/** A folder of its own for each test, with a configuration. */
export async function projectWith(servers: Readonly<Record<string, object>>) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-cli-'));
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  await write('mcp.json', { mcpServers: servers });
  return {
    folder,
    write,
    path: (name: string) => join(folder, name),
    remove: () => rm(folder, { recursive: true, maxRetries: 10 }),
  };
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function spawned(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: string,
): ChildProcess {
  const { command, args: before, env: own } = commandLine(folder);
  const child = spawn(command, [...before, ...args], {
    cwd: folder,
    env: { ...process.env, ...own, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  return child;
}

/** Starts it, for tests that send signals or close its streams. */
export const startTenon = (folder: string, args: readonly string[]) => spawned(folder, args);

/** Runs it to its end. `input` is written to its standard input. */
export async function tenon(
  folder: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  input?: string,
): Promise<Ended> {
  const child = spawned(folder, args, env, input);
  const texts = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', text => (texts.out += text));
  child.stderr?.setEncoding('utf8').on('data', text => (texts.err += text));
  const [code] = await once(child, 'close');
  checkJsonOutput(args, texts);
  return { code, ...texts };
}

/**
 * Runs the command to its end, without a terminal: in a full run as a process, else in this process, which takes a tenth of
 * the time. Tests of signals, of standard input, and of the processes that the command starts from its own file use `tenon`.
 */
export async function runTenon(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  if (isFull) return tenon(folder, args, env);
  const texts = { out: '', err: '' };
  const createOutput = (name: keyof typeof texts) => ({
    write: (text: string | Uint8Array) => (texts[name] += typeof text === 'string' ? text : Buffer.from(text)),
  });
  const screen = createScreen(createOutput('out'), createOutput('err'));
  const code = await run(args, {
    screen,
    terminal: createTerminal(new PassThrough(), new PassThrough(), screen),
    env: { ...process.env, ...commandLine(folder).env, ...env },
    cwd: folder,
    code: exitCodes.success,
  });
  checkJsonOutput(args, texts);
  return { code, ...texts };
}

function findIssue(name: string, line: string): unknown {
  try {
    checkJsonLine(name, line);
  } catch (error) {
    return error;
  }
}

/** A command that serves until it is told to end. */
export interface Serving {
  readonly url: string;
  /** The first line of JSON on standard output that fits, from the beginning on. */
  waitForEvent<T extends object>(fits: (line: Record<string, unknown>) => boolean): Promise<T>;
  readonly errors: () => string;
  /** The lines of JSON on standard output. */
  readonly lines: readonly Record<string, unknown>[];
  readonly pid: number;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  /** Ends it as Ctrl-C does, and gives its exit code. */
  end(): Promise<number | null>;
}

/** Starts a command that serves over HTTP, on a port that is free, and waits until it does. */
export async function serving(
  folder: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Serving> {
  const child = spawned(folder, args, env);
  if (!child.stdout || !child.stderr) throw new Error('there is no output to read');
  const lines: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const look of waiting) look();
  };
  let errors = '';
  let unfit: unknown;
  let hasEnded = false;
  child.stderr.setEncoding('utf8').on('data', text => (errors += text));
  createInterface({ input: child.stdout }).on('line', line => {
    lines.push(JSON.parse(line));
    unfit ??= findIssue(args[0] ?? '', line);
    notify();
  });
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true;
    notify();
    return code as number | null;
  });
  const waitForEvent = <T extends object>(fits: (line: Record<string, unknown>) => boolean) =>
    new Promise<T>((resolve, reject) => {
      const look = () => {
        const found = lines.find(fits);
        if (!found && !hasEnded && !unfit) return;
        waiting.delete(look);
        if (unfit) reject(unfit);
        else if (found) resolve(found as T);
        else reject(new Error(`it ended without saying so: ${errors}`));
      };
      waiting.add(look);
      look();
    });
  const { url } = await waitForEvent<{ url: string }>(({ event }) => event === 'listening');
  return {
    url,
    waitForEvent,
    errors: () => errors,
    lines,
    pid: child.pid ?? 0,
    ended,
    end() {
      child.kill('SIGINT');
      return ended;
    },
  };
}
