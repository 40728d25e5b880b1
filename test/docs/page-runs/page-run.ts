import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findFreePort } from '../../../packages/tenon/src/stores/fixtures/find-free-port.js';
import type { Step } from './page-steps.js';

/** Ports as pages write them: each becomes another one that is free. */
const PORT = /\b(?:30\d\d|8080|8787)\b/g;
/** Commands that listen on a port which the page does not write. */
const DEFAULT_PORTS: readonly (readonly [command: RegExp, more: string])[] = [
  [/\b(?:tenon|@tenon\/cli) (?:dev|serve)\b(?!.*--stdio)/, '--port 3000'],
  [/\b(?:tenon|@tenon\/cli) gateway\b(?!.*--stdio)/, '--port 8080'],
  [/\bwrangler dev\b/, '--port 8787'],
  [/\bnext dev\b/, '--port 3000 --hostname 127.0.0.1'],
];
/** Time for a command to end, or to serve, in milliseconds. */
const COMMAND_TIMEOUT = 58_000;
/** Folder of the projects on the pages. */
const PARENT = '/home/ada';
const LISTENS = /https?:\/\/(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\]):\d+/;

interface Running {
  readonly line: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
}

/** A reader who follows one page, in an empty folder outside of the workspace. */
export interface PageRun {
  take(step: Step): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param environment More variables of the reader.
 * @param folders Folders with more programs of the reader.
 * @param downloads Folder with what npm has downloaded before.
 */
export async function startPageRun(
  environment: Readonly<Record<string, string>>,
  folders: readonly string[],
  downloads: string,
): Promise<PageRun> {
  const home = await mkdtemp(join(tmpdir(), 'tenon-page-'));
  let cwd = join(home, 'project');
  await mkdir(cwd);
  // curl shows its progress if its output is no terminal.
  await writeFile(join(home, '.curlrc'), 'silent\nshow-error\n');
  // Its own cache, because npx takes an earlier build of the same version from a cache that has one.
  const cache = join(home, '.npm');
  await mkdir(cache);
  await symlink(downloads, join(cache, '_cacache'), 'junction');
  const place = join(home, '.place');
  const ports = new Map<string, string>();
  // Global installations of npm.
  const prefix = join(home, 'global');
  const programs = [join(prefix, 'bin'), ...folders];
  const env = {
    ...cleanEnvironment(programs),
    npm_config_prefix: prefix,
    npm_config_cache: cache,
    HOME: home,
    TENON_HOME: join(home, '.tenon'),
    ...environment,
  };
  let running: Running[] = [];
  /** Output of the lines of a block so far. */
  let blockOutput = '';
  /** Servers that ended by themselves, with an error. */
  const failures: string[] = [];

  async function givePorts(text: string): Promise<string> {
    for (const shown of new Set(text.match(PORT) ?? []))
      if (!ports.has(shown)) ports.set(shown, String(await findFreePort()));
    return text.replace(PORT, shown => ports.get(shown) ?? shown);
  }

  /** Writes ports and folders as pages do. */
  const show = (text: string): string =>
    [...ports].reduce((shown, [port, free]) => shown.replaceAll(free, port), text.replaceAll(dirname(cwd), PARENT));

  async function write(file: string, text: string): Promise<void> {
    const path = join(cwd, file);
    const watching = existsSync(path)
      ? running.find(({ line }) => / dev /.test(line) && line.split(' ').includes(file))
      : undefined;
    const reloaded = watching && waitForReload(watching.child);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await givePorts(text));
    await reloaded;
  }

  /** Runs a line as a terminal does. A server keeps running. */
  async function run(line: string, expected: string | undefined): Promise<void> {
    const before = blockOutput;
    const ended = await start(line, text => {
      blockOutput = before + text;
      return (
        LISTENS.test(text.replaceAll(environment.npm_config_registry ?? '', '')) &&
        (expected === undefined || matchesOutput(show(blockOutput), expected))
      );
    });
    if (ended) cwd = (await readFile(place, 'utf8')).trim();
    if (expected !== undefined && !matchesOutput(show(blockOutput), expected))
      throw new Error(`${line}\nprinted\n${show(blockOutput)}\nExpected\n${expected}`);
  }

  /** Starts a command, and resolves when it has ended (true), or when its output shows that it serves (false). */
  async function start(line: string, serves: (output: string) => boolean): Promise<boolean> {
    const script = `${await givePorts(await withPort(line))}\nstatus=$?; pwd > '${place}'; exit $status`;
    const child = spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const exited = once(child, 'close').then(([code]) => code as number | null);
    const entry = { line, child, exited };
    running.push(entry);
    let output = '';
    let isServing = false;
    await new Promise<void>((resolve, reject) => {
      const hangs = () =>
        reject(new Error(`${line}\nneither ended nor printed what the page shows:\n${show(blockOutput)}`));
      const timer = setTimeout(hangs, COMMAND_TIMEOUT);
      exited.finally(() => clearTimeout(timer));
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (isServing || !serves(output)) return;
          isServing = true;
          clearTimeout(timer);
          resolve();
        });
      exited.then(code => {
        const isStopped = !running.includes(entry);
        running = running.filter(each => each !== entry);
        serves(output);
        if (code !== 0 && !isStopped) failures.push(`${line}\nended with ${code}:\n${show(output)}`);
        resolve();
      }, reject);
    });
    if (failures.length > 0) throw new Error(failures.join('\n\n'));
    return !isServing;
  }

  async function withPort(line: string): Promise<string> {
    const found = DEFAULT_PORTS.find(([command]) => command.test(line));
    return found === undefined || /--port\b/.test(line) ? line : `${line} ${found[1]}`;
  }

  async function stop(): Promise<void> {
    const ending = running.splice(0);
    for (const { child } of ending) sendSignal(child, 'SIGTERM');
    await Promise.all(ending.map(({ exited }) => exited));
  }

  return {
    async take(step) {
      if (step.kind === 'write') return write(step.file, step.text);
      if (step.kind === 'stop') return stop();
      if (step.kind === 'not-run') return;
      if (/^(mkdir|npm create|tenon init)\b/.test(step.line)) {
        await stop();
        cwd = await mkdtemp(join(home, 'project-'));
      }
      if (step.isFirst) blockOutput = '';
      await run(step.line, step.output);
    },
    async close() {
      for (const { child } of running) sendSignal(child, 'SIGKILL');
      await Promise.all(running.map(({ exited }) => exited));
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Resolves when `tenon dev` reports that it has loaded a changed file. */
function waitForReload({ stdout, stderr }: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    const read = (text: string): void => {
      if (text.includes('reloaded in')) resolve();
    };
    stdout?.on('data', read);
    stderr?.on('data', read);
  });
}

function sendSignal({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

/** The environment of a user: without the variables of npm and of the test runner, and without the programs of the workspace. */
function cleanEnvironment(more: readonly string[]): Record<string, string> {
  const foreign = /^(npm_|NPM_|TENON_|VITEST|NODE_(?!EXTRA_CA_CERTS)|INIT_CWD|MCP_)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'));
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, value ?? ''])),
    PATH: [dirname(process.execPath), ...more, ...folders].join(delimiter),
    NO_COLOR: '1',
  };
}

/** Compares an output with that of a page, in which `…` stands for any text, and times differ. */
export function matchesOutput(output: string, expected: string): boolean {
  const pattern = expected
    .trim()
    .split('…')
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\b\d+ ms\b/g, '\\d+ ms'))
    .join('[\\s\\S]*');
  return new RegExp(`^${pattern}$`).test(output.replace(/^npm (warn|notice).*\n/gm, '').trim());
}
