import { randomBytes, randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { checkString, requireArgument, TenonError } from '@tenon/base';
import { createFolder, requirePrivate } from '@tenon/base/node';
import { readBoundedFile } from './config-file.js';

const KEY_SIZE = 32;

/**
 * Loads the key of approvals for `createTrust` from a file that only its owner can read (0600), and creates it if
 * there is none. Keep it apart from the store of the approvals.
 * @throws TenonError `config/trust-key` when the file is something else, or when other users have access to it.
 */
export async function loadTrustKey(path: string): Promise<Uint8Array> {
  requireArgument('`path` of loadTrustKey', path, checkString);
  const file = resolve(path);
  const existingKey = await readKey(file);
  if (existingKey) return existingKey;
  await createFolder(dirname(file), 0o700);
  const temporaryPath = `${file}.${process.pid}.${randomUUID()}`;
  try {
    await writeFile(temporaryPath, randomBytes(KEY_SIZE), { mode: 0o600, flag: 'wx' });
    // If several processes create the key, one of them wins, and no process reads an incomplete key.
    await link(temporaryPath, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporaryPath, { force: true });
  }
  const stored = await readKey(file);
  if (stored) return stored;
  throw new TenonError('config/trust-key', `cannot store the approval key in ${file}`, {
    hint: 'check that its folder is writable, and try again',
  });
}

async function readKey(file: string): Promise<Uint8Array | undefined> {
  await requirePrivate({ path: file, code: 'config/trust-key', subject: 'the key of approvals' });
  let key: Uint8Array;
  try {
    key = await readBoundedFile(file, KEY_SIZE);
  } catch (error) {
    if (TenonError.is(error) && error.code === 'config/not-found') return undefined;
    throw createKeyError(file, error);
  }
  if (key.length === KEY_SIZE) return new Uint8Array(key);
  throw createKeyError(file, undefined);
}

function createKeyError(file: string, cause: unknown): TenonError {
  return new TenonError('config/trust-key', `invalid approval key in ${file}`, {
    expected: `a file of ${KEY_SIZE} bytes`,
    hint: 'use another path, or delete the file and approve the servers again',
    cause,
  });
}
