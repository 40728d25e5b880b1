import type { SealKey, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { readSecretFile } from '../http/secret-file.js';
import { createUsageError, readVariable } from '../usage-error.js';
import type { StoreOptions } from './open-stores.js';

/** Length of a key in bytes. */
const KEY_LENGTH = 32;
const KEY_HINT = 'with 32 random bytes in base64: 2026-11:$(openssl rand -base64 32)';

/**
 * Reads the keys that the options name. The first one encrypts, and all decrypt. Returns `undefined` without an option.
 * `folder` is the base of a relative path.
 */
export async function readSealKeys(
  context: CliContext,
  { keysEnv, keysFile }: StoreOptions,
  folder: string = context.cwd,
): Promise<SealKey[] | undefined> {
  if (keysEnv !== undefined && keysFile !== undefined)
    throw createUsageError('--keys-env and --keys-file exclude each other', 'pass only one of them');
  if (keysFile !== undefined) return readKeysFile({ ...context, cwd: folder }, keysFile);
  if (keysEnv === undefined) return undefined;
  const invalid = createUsageError(
    '--keys-env: invalid keys in this variable',
    `write one ID:KEY or several, separated by commas, each with another ID and ${KEY_HINT}`,
  );
  return parseSealKeys(readVariable(context.env, keysEnv, '--keys-env').split(','), () => invalid);
}

/** Reads a file with one key in each line. Empty lines, and lines that begin with `#`, are skipped. */
async function readKeysFile(context: CliContext, file: string): Promise<SealKey[]> {
  // Workers start with the same options, and `--stdio` needs standard input for the protocol.
  if (file === '-') throw createUsageError('--keys-file: standard input is not accepted', 'pass the path of a file');
  const text = await readSecretFile(context, file, '--keys-file', { refuseExposed: true });
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const numbers = [...lines.keys()].filter(index => /^\s*[^\s#]/.test(lines[index] ?? ''));
  const hint = `write one ID:KEY in each line, each with another ID and ${KEY_HINT}`;
  if (numbers.length === 0) throw createUsageError(`--keys-file: no keys in ${file}`, hint);
  return parseSealKeys(
    numbers.map(index => lines[index] ?? ''),
    at => createUsageError(`--keys-file: invalid key in line ${(numbers[at] ?? 0) + 1} of ${file}`, hint),
  );
}

/** Parses keys: `ID:KEY`, each key with 32 bytes in base64. Errors show no part of a key. */
function parseSealKeys(texts: readonly string[], createError: (index: number) => TenonError): SealKey[] {
  const ids = new Set<string>();
  return texts.map((text, index) => {
    const [, id, encoded = ''] = /^([\w-]{1,64}):([\w+/=-]+)$/.exec(text.trim()) ?? [];
    const key = Buffer.from(encoded, 'base64');
    if (id === undefined || key.length !== KEY_LENGTH || ids.has(id)) throw createError(index);
    ids.add(id);
    return { id, key: new Uint8Array(key) };
  });
}
