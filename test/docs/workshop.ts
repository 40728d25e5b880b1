import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Page, root } from './pages.js';

/** The folder in which the pages' code is written out, checked and run: inside the repository, so that `tenon` is found. */
export interface Workshop {
  readonly folder: string;
  remove(): void;
}

/** Pages write ports as 30xx: where they run, each is another one that is free. */
const PORT = /\b30\d\d\b/g;

const settings = {
  extends: '../../../tsconfig.json',
  // What a page shows is not always used on that page.
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  include: ['**/*.ts', '../../../test/docs/express.d.ts'],
  exclude: [],
};

export function openWorkshop(pages: readonly Page[]): Workshop {
  const cache = join(root, '.cache/docs');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'pages-'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  for (const page of pages) write(folder, page, new Map());
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

function write(folder: string, { name, blocks }: Page, ports: ReadonlyMap<string, number>): void {
  for (const { file, code } of blocks) {
    const path = join(folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code.replace(PORT, port => String(ports.get(port) ?? port)));
  }
}

/** The problems of all pages by the compiler, each with its page and block. */
export async function typecheck({ folder }: Workshop): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { output } = await run([compiler, '-p', join(folder, 'tsconfig.json'), '--pretty', 'false'], folder, 60_000);
  return output;
}

/** What each block of a page printed, by its file. */
export async function runPage({ folder }: Workshop, page: Page): Promise<{ printed: Map<string, string>; failure: string | undefined }> {
  const ports = await freePorts(page);
  write(folder, page, ports);
  const files = page.blocks.filter(({ runs }) => runs).map(({ file }) => file);
  const program = `
    for (const file of ${JSON.stringify(files)}) {
      console.log('\\0' + file);
      await import('./' + file);
    }
    process.exit(0);
  `;
  writeFileSync(join(folder, page.name, 'run-the-page.mts'), program);
  const { output, errors, code } = await run(['--import', 'tsx', 'run-the-page.mts'], join(folder, page.name), 40_000);
  const printed = new Map<string, string>();
  for (const part of output.split('\0').slice(1)) {
    const end = part.indexOf('\n');
    printed.set(part.slice(0, end), shown(part.slice(end + 1), ports));
  }
  const last = [...printed.keys()].at(-1);
  const failure = code === 0 ? undefined : `${page.path}, ${last}: ended with ${code}\n${errors}`;
  return { printed, failure };
}

/** With the ports that the page writes. */
function shown(text: string, ports: ReadonlyMap<string, number>): string {
  return [...ports].reduce((seen, [port, free]) => seen.replaceAll(String(free), port), text);
}

async function freePorts({ blocks }: Page): Promise<Map<string, number>> {
  const named = new Set(blocks.flatMap(({ code }) => code.match(PORT) ?? []));
  const held = await Promise.all([...named].map(async port => ({ port, server: await listening() })));
  const ports = new Map(held.map(({ port, server }) => [port, (server.address() as AddressInfo).port]));
  await Promise.all(held.map(({ server }) => new Promise(resolve => server.close(resolve))));
  return ports;
}

function listening() {
  const server = createServer();
  return new Promise<typeof server>(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Runs Node until it ends, or ends it after a time. */
export function run(args: readonly string[], cwd: string, limit: number) {
  return new Promise<{ output: string; errors: string; code: number | string }>(resolve => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: limit, killSignal: 'SIGKILL' });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', text => (output += text));
    child.stderr.setEncoding('utf8').on('data', text => (errors += text));
    child.on('close', (code, signal) => resolve({ output, errors, code: code ?? signal ?? 'no code' }));
  });
}
