import type { SealKey } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createUsageError, readVariable } from '../usage-error.js';
import type { StoreOptions } from './open-stores.js';

/** Length of a key in bytes. */
const KEY_LENGTH = 32;

/** Reads the keys that the option names. Returns `undefined` without the option. */
export function readSealKeys({ env }: CliContext, { keysEnv }: StoreOptions): SealKey[] | undefined {
  return keysEnv === undefined ? undefined : parseSealKeys(readVariable(env, keysEnv, '--keys-env'));
}

/** Parses the keys that replicas share: `ID:KEY,ID:KEY`, each key with 32 bytes in base64. The first one encrypts. */
function parseSealKeys(text: string): SealKey[] {
  return text.split(',').map(each => {
    const [, id, encoded = ''] = /^([\w-]{1,64}):([\w+/=-]+)$/.exec(each.trim()) ?? [];
    const key = Buffer.from(encoded, 'base64');
    if (id !== undefined && key.length === KEY_LENGTH) return { id, key: new Uint8Array(key) };
    throw createUsageError(
      '--keys-env: invalid keys in this variable',
      'write ID:KEY with 32 random bytes in base64, separated by commas: 2026-11:$(openssl rand -base64 32)',
    );
  });
}
