import { type FileHandle, open, stat } from 'node:fs/promises';
import { delimiter, extname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import {
  checkFunction,
  checkOptional,
  checkString,
  requireArgument,
  requireKnownOptions,
  TenonError,
} from '@tenon/base';
import { getHomeFolder } from '@tenon/base/node';
import type { AskInput } from '../../config/inputs.js';
import { MAX_CONFIG_SIZE } from '../../config/json-node.js';
import { type ConfigOptions, type ConfigResult, parseConfig } from '../../config/parse-config.js';
import type { SecretFile } from '../../config/resolve-variables.js';
import type { EntryOrigin } from '../../config/server-entry.js';

/** Maximum size of a file of environment variables, in bytes. */
const MAX_ENV_FILE = 2 ** 20;

/** Maximum size of a file with a secret, in bytes. */
const MAX_SECRET_FILE = 65_536;

/** Options for reading a configuration file. */
export interface ConfigFileOptions {
  /**
   * Author of the file. Pass `project` for a file in a folder that another person has created.
   * @default `user`
   */
  readonly scope?: EntryOrigin['scope'] | undefined;
  /**
   * Environment variables.
   * @default those of this process
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Requests an input of a VS Code configuration from the user. */
  readonly inputs?: AskInput | undefined;
  /**
   * Value of `${workspaceFolder}`, and base of relative paths.
   * @default the folder of the file, or the parent of `.vscode` and `.cursor`
   */
  readonly workspace?: string | undefined;
  /**
   * Value of `${userHome}`.
   * @default the home folder of the user
   */
  readonly home?: string | undefined;
  /**
   * Parses a file that is no JSON: TOML or YAML.
   * @default none, and such a file is an error
   */
  readonly parse?: ConfigOptions['parse'];
  /**
   * Replaces variables by their values. Pass `false` to copy entries.
   * @default `true`
   */
  readonly resolve?: boolean | undefined;
}

const OTHER_FORMAT = /\.(?:toml|ya?ml)$/i;

/**
 * Reads a configuration file and its `envFile`s. Mistakes are returned as findings.
 * @throws TenonError `config/not-found` when the file does not exist, `config/unreadable` when it is not a readable
 * text file, `config/format` when it needs `parse`, or `config/too-large`.
 */
export async function readConfigFile(path: string, options: ConfigFileOptions = {}): Promise<ConfigResult> {
  requireArgument('`path` of readConfigFile', path, checkString);
  requireKnownOptions('readConfigFile', options, {
    scope: true,
    env: true,
    inputs: true,
    workspace: true,
    home: true,
    parse: true,
    resolve: true,
  });
  const { scope = 'user', env = process.env, inputs, workspace, parse, resolve: resolves = true } = options;
  requireArgument('`parse` of readConfigFile', parse, checkOptional(checkFunction));
  requireArgument('`workspace` of readConfigFile', workspace, checkOptional(checkString));
  const file = resolve(path);
  if (!parse && OTHER_FORMAT.test(file))
    throw new TenonError('config/format', `${file}: this format needs a parser`, {
      expected: 'JSON, with comments and trailing commas',
      received: extname(file).slice(1).toUpperCase(),
      hint: 'pass a parser as `parse` of `readConfigFile`',
    });
  return parseConfig(await readText(file, MAX_CONFIG_SIZE), {
    file,
    scope,
    env: name => getVariable(env, name),
    home: options.home ?? getHomeFolder(),
    readEnvFile,
    readSecretFile,
    hasProgram: (command, folder) => hasProgram(command, folder, getVariable(env, 'PATH')),
    resolve: resolves,
    ...(parse && { parse }),
    ...(inputs && { inputs }),
    ...(workspace !== undefined && { workspace: resolve(workspace) }),
  });
}

/** Tells if a program exists at a path, or under a name in the folders of `PATH`. */
async function hasProgram(command: string, folder = '.', searchPath = ''): Promise<boolean> {
  const paths = /[\\/]/.test(command)
    ? [resolve(folder, command)]
    : searchPath.split(delimiter).map(each => join(each || '.', command));
  for (const path of paths) {
    const isFile = await stat(path).then(
      stats => stats.isFile(),
      () => false,
    );
    if (isFile) return true;
  }
  return false;
}

/**
 * Returns an environment variable. Names are case-insensitive on Windows. `process.env` respects that, but a copy of it
 * does not.
 */
function getVariable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  if (Object.hasOwn(env, name) || process.platform !== 'win32') return Object.hasOwn(env, name) ? env[name] : undefined;
  const matchingKey = Object.keys(env).find(key => key.toUpperCase() === name.toUpperCase());
  return matchingKey === undefined ? undefined : env[matchingKey];
}

async function readEnvFile(path: string): Promise<Record<string, string>> {
  const env = parseEnv(await readText(path, MAX_ENV_FILE));
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Reads a file with a secret. A file that another user can change is refused, because that user chooses the value. */
async function readSecretFile(path: string): Promise<SecretFile> {
  const text = await readText(path, MAX_SECRET_FILE);
  const { mode: type, uid } = await stat(path);
  const mode = process.platform === 'win32' ? 0 : type & 0o777;
  const own = process.getuid?.() ?? 0;
  // The system reads files of all users, such as those that are mounted into its container.
  if (own !== 0 && uid !== own && uid !== 0)
    throw new TenonError('config/unreadable', `the file ${path} belongs to another user, who can change it`, {
      expected: 'a file of the user who runs this process, or of the system',
      hint: 'copy the secret into a file of your own with mode 0600, and name that file',
    });
  if ((mode & 0o022) !== 0)
    throw new TenonError('config/unreadable', `other users can change the file ${path}`, {
      expected: 'mode 0600',
      received: `mode 0${mode.toString(8)}`,
      hint: `check its content, and run \`chmod 600 ${path}\``,
    });
  return { text, isExposed: (mode & 0o044) !== 0 };
}

/**
 * Returns the text of a regular file. A project may name any path here, so files without an end, such as devices, are
 * refused.
 */
async function readText(path: string, maxSize: number): Promise<string> {
  const bytes = await readBoundedFile(path, maxSize);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw createUnreadableError(path, 'a file that is not UTF-8');
  }
}

/** Returns the bytes of a regular file, up to a maximum size. */
export async function readBoundedFile(path: string, maxSize: number): Promise<Buffer> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    if (size > maxSize) throw createTooLargeError(path, maxSize);
    // One more byte detects that the file has grown meanwhile.
    const buffer = Buffer.alloc(Math.min(maxSize, size + 65_536) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      if (bytesRead === 0) return buffer.subarray(0, length);
      length += bytesRead;
    }
    throw createTooLargeError(path, maxSize);
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  let isFile: boolean;
  try {
    // Opening a pipe would block until a process writes to it.
    isFile = (await stat(path)).isFile();
    if (isFile) return await open(path, 'r');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw createUnreadableError(path, code, cause);
    const hint = 'check the path, or create the file';
    throw new TenonError('config/not-found', `file not found: ${path}`, { received: code, hint, cause });
  }
  throw createUnreadableError(path, 'a path that is not a file');
}

function createUnreadableError(path: string, received: string | undefined, cause?: unknown): TenonError {
  return new TenonError('config/unreadable', `cannot read the file ${path}`, {
    expected: 'a UTF-8 text file',
    received,
    ...(cause !== undefined && { cause }),
  });
}

function createTooLargeError(path: string, maxSize: number): TenonError {
  return new TenonError('config/too-large', `the file ${path} is too large`, {
    expected: `at most ${maxSize} bytes`,
    received: 'more',
    hint: 'remove content that does not belong in the file',
  });
}
