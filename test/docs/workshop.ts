import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { bin, compilerEnvironment } from '../../scripts/process.mjs';
import { type Page, root } from './pages.js';

/** The folder in which the pages' code is written out, checked and run: inside the repository, so that `tenon` is found. */
export interface Workshop {
  readonly folder: string;
  remove(): void;
}

/** Pages write ports as 30xx: where they run, each is another one that is free. */
const PORT = /\b30\d\d\b/g;

/** Blocks that show the official SDK. */
const FOREIGN = '**/sdk-*.ts';

const settings = {
  extends: '../../../tsconfig.json',
  compilerOptions: {
    // A page may show code that it does not use.
    noUnusedLocals: false,
    noUnusedParameters: false,
    // The packages as they are built: to read their sources takes many times as long.
    paths: { '@tenon/ai': ['../../../packages/ai/dist/index.js'] },
  },
};
/** Blocks of applications whose bundler resolves imports, such as those of Next.js. */
const BUNDLED = '**/app/**/*.ts';
const own = { ...settings, include: ['**/*.ts', '../../../test/docs/express.d.ts'], exclude: [FOREIGN, BUNDLED] };
const bundled = {
  ...settings,
  compilerOptions: { ...settings.compilerOptions, module: 'esnext', moduleResolution: 'bundler' },
  include: [BUNDLED],
};
/** The official SDK does not fit exact optional properties. */
const foreign = {
  ...settings,
  compilerOptions: { ...settings.compilerOptions, exactOptionalPropertyTypes: false },
  include: [FOREIGN],
};

export function openWorkshop(pages: readonly Page[]): Workshop {
  const cache = join(root, '.cache/docs');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'pages-'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(own));
  writeFileSync(join(folder, 'tsconfig.sdk.json'), JSON.stringify(foreign));
  writeFileSync(join(folder, 'tsconfig.bundled.json'), JSON.stringify(bundled));
  for (const page of pages) write(folder, page, new Map());
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

function write(folder: string, { name, blocks, data }: Page, ports: ReadonlyMap<string, number>): void {
  for (const { file, code } of [...blocks, ...data]) {
    const path = join(folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      code.replace(PORT, port => String(ports.get(port) ?? port)),
    );
  }
}

/** The errors of all pages by the compiler, each with its page and block. */
export async function typecheck({ folder }: Workshop): Promise<string> {
  const options = ['--pretty', 'false', '--checkers', '1'];
  const check = (project: string) =>
    run([bin('typescript'), '-p', project, ...options], folder, 60_000, compilerEnvironment);
  const outputs = await Promise.all(['tsconfig.json', 'tsconfig.sdk.json', 'tsconfig.bundled.json'].map(check));
  // What is wrong outside of the pages is said where it is checked.
  const errors = outputs.flatMap(({ output }) => output.split(/\n(?! )/)).filter(error => !error.startsWith('../'));
  return errors.join('\n').trim();
}

/** What became of a page: what each of its blocks printed, by its file, and what went wrong. */
export interface Outcome {
  readonly printed: ReadonlyMap<string, string>;
  readonly failure: string | undefined;
}

/** Marks where the output of a block begins, and where a page fails. */
const BEGINS = '\0begins ';
const FAILED = '\0failed ';

/** Runs pages one after the other in one process: starting one for each would take most of the time. */
export async function runPages({ folder }: Workshop, pages: readonly Page[]): Promise<Map<Page, Outcome>> {
  const ports = new Map<Page, Map<string, number>>();
  for (const page of pages) {
    ports.set(page, await freePorts(page));
    write(folder, page, ports.get(page) ?? new Map());
  }
  const program = join(folder, `${pages[0]?.name}.run.mts`);
  writeFileSync(program, programOf(pages));
  const { output, errors, code } = await run(['--import', 'tsx', program], folder, 50_000);
  const parts = output.split('\0').map(part => `\0${part}`);
  const ended = code === 0 ? undefined : `the process ended with ${code}\n${errors}`;
  return new Map(pages.map(page => [page, outcomeOf(page, parts, ports.get(page) ?? new Map(), ended)]));
}

function programOf(pages: readonly Page[]): string {
  const steps = pages.map(({ name, blocks }) => [name, blocks.filter(({ runs }) => runs).map(({ file }) => file)]);
  return `
    for (const [page, files] of ${JSON.stringify(steps)}) {
      process.chdir(import.meta.dirname + '/' + page);
      try {
        for (const file of files) {
          console.log(${JSON.stringify(BEGINS)} + page + '/' + file);
          await import('./' + page + '/' + file);
        }
      } catch (error) {
        console.log(${JSON.stringify(FAILED)} + page + '\\n' + error.stack);
      }
    }
    process.exit(0);
  `;
}

function outcomeOf(
  { name, blocks }: Page,
  parts: readonly string[],
  ports: ReadonlyMap<string, number>,
  ended: string | undefined,
): Outcome {
  const printed = new Map<string, string>();
  for (const { file } of blocks) {
    const start = `${BEGINS}${name}/${file}\n`;
    const part = parts.find(each => each.startsWith(start));
    if (part !== undefined) printed.set(file, shown(part.slice(start.length), ports));
  }
  const failed = parts.find(part => part.startsWith(`${FAILED}${name}\n`))?.slice(FAILED.length);
  const missing = blocks.filter(({ file, runs }) => runs && !printed.has(file)).map(({ file }) => file);
  return {
    printed,
    failure: failed ?? (missing.length > 0 ? `did not come to ${missing.join(', ')}: ${ended}` : undefined),
  };
}

/** With the ports that the page writes. */
function shown(text: string, ports: ReadonlyMap<string, number>): string {
  return [...ports].reduce((seen, [port, free]) => seen.replaceAll(String(free), port), text);
}

async function freePorts({ blocks }: Page): Promise<Map<string, number>> {
  const named = [...new Set(blocks.flatMap(({ code }) => code.match(PORT) ?? []))];
  const free = await Promise.all(named.map(findFreePort));
  return new Map(named.map((port, index) => [port, free[index] ?? 0]));
}

/** Runs Node until it ends, or ends it after a time. */
export function run(args: readonly string[], cwd: string, limit: number, env = process.env) {
  return new Promise<{ output: string; errors: string; code: number | string }>(resolve => {
    const child = spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limit,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', text => (output += text));
    child.stderr.setEncoding('utf8').on('data', text => (errors += text));
    child.on('close', (code, signal) => resolve({ output, errors, code: code ?? signal ?? 'no code' }));
  });
}
