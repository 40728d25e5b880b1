import { type ChildProcess, execFile, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { extname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNode } from '../target/file-command.js';
import type { ModuleError } from './locate-error.js';

/** Message of the process of a module about an error that ends it. */
export interface FailureMessage {
  readonly dev: 'failed';
  readonly error: ModuleError;
}

/** Process that loads a module and serves it. */
export interface ModuleProcess {
  readonly child: ChildProcess;
  /** Files that the process has imported so far, without those of packages. */
  readonly files: ReadonlySet<string>;
  /** Folders that the process has read as a part of the program, such as skills. */
  readonly folders: ReadonlySet<string>;
  /** Resolves when the process has exited, with its error if it had one. */
  readonly exited: Promise<ModuleExit>;
}

export interface ModuleExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error: ModuleError | undefined;
}

/** Messages of Node about imported modules, which `node --watch` uses too. */
interface ImportMessage {
  readonly 'watch:import'?: readonly unknown[];
  readonly 'watch:require'?: readonly unknown[];
  /** Sent by packages of Tenon. */
  readonly 'watch:folder'?: readonly unknown[];
}

/** Entry of the process: beside this file in the sources, and beside the parts of the built command. */
const ENTRY = fileURLToPath(new URL(`../dev-process${extname(import.meta.url)}`, import.meta.url));

/** Starts a process that loads a module. Its output goes to standard error, because standard output may be a protocol. */
export function startModule(
  reference: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): ModuleProcess {
  const child = fork(ENTRY, [reference, folder], {
    cwd: folder,
    env: { ...env, WATCH_REPORT_DEPENDENCIES: '1' },
    execArgv: isNode() ? [...process.execArgv.filter(isLoader), '--enable-source-maps'] : [],
    stdio: ['ignore', 2, 2, 'ipc'],
    serialization: 'advanced',
  });
  const files = new Set<string>();
  const folders = new Set<string>();
  let error: ModuleError | undefined;
  child.on('message', (message: FailureMessage | ImportMessage) => {
    if ('dev' in message) error = message.error;
    else {
      for (const file of listImportedFiles(message)) files.add(file);
      for (const each of message['watch:folder'] ?? []) if (typeof each === 'string') folders.add(each);
    }
  });
  const exited = new Promise<ModuleExit>(resolve => {
    child.once(
      'exit',
      (code, signal) => void completeError(error, files).then(complete => resolve({ code, signal, error: complete })),
    );
    child.once('error', cause =>
      resolve({ code: null, signal: null, error: { name: '', message: cause.message, stack: '' } }),
    );
  });
  return { child, files, folders, exited };
}

/** Tells if an option of this process loads a module, as `--import=tsx` does when the command runs from its sources. */
const isLoader = (option: string): boolean => option.startsWith('--import') || option.startsWith('--require');

function listImportedFiles(message: ImportMessage): string[] {
  const imported = [...(message['watch:import'] ?? []), ...(message['watch:require'] ?? [])];
  return imported.flatMap(each => {
    if (typeof each !== 'string' || each.startsWith('node:') || each.startsWith('data:')) return [];
    const path = each.startsWith('file:') ? fileURLToPath(each.replace(/[?#].*$/, '')) : each;
    return path === ENTRY || path.includes(`${sep}node_modules${sep}`) ? [] : [path];
  });
}

/**
 * Adds the place to a syntax error of JavaScript, which Node does not tell to programs. Node checks the files, the last
 * imported one first.
 */
async function completeError(
  error: ModuleError | undefined,
  files: ReadonlySet<string>,
): Promise<ModuleError | undefined> {
  if (error?.name !== 'SyntaxError' || !/^SyntaxError:.*\n\s+at (?:compileSourceTextModule|wrapSafe)/.test(error.stack))
    return error;
  for (const file of [...files].reverse().filter(each => /\.[cm]?js$/.test(each) && existsSync(each))) {
    const stack = await checkSyntax(file);
    if (stack !== undefined) return { ...error, stack };
  }
  return error;
}

/** Returns the output of `node --check` if the file has a syntax error. */
function checkSyntax(file: string): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile(process.execPath, ['--check', file], (failure, _, stderr) => resolve(failure ? stderr : undefined));
  });
}
