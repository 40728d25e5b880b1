import { join } from 'node:path';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { createUsageError } from '../usage-error.js';

/** Protection of stored tokens: the permissions of a file, or a key in the keychain of the system. */
export type TokenStoreKind = 'file' | 'keychain';

export const TOKEN_STORES: readonly TokenStoreKind[] = ['file', 'keychain'];
/** Variable that sets the token store of all commands. */
const VARIABLE = 'TENON_TOKEN_STORE';

/** Returns the path of a token store. The encrypted file has another name, so that no plain token stays beside it. */
export function getTokenStorePath({ env }: Pick<CliContext, 'env'>, name: string, kind: TokenStoreKind): string {
  return join(getFolders(env).settings, kind === 'file' ? `${name}.json` : `${name}.keychain.json`);
}

/** Chooses the token store: the option, else the variable `TENON_TOKEN_STORE`, else a file. */
export function chooseTokenStore({ env }: Pick<CliContext, 'env'>, option?: TokenStoreKind): TokenStoreKind {
  const chosen = option ?? (env[VARIABLE] || 'file');
  const kind = TOKEN_STORES.find(each => each === chosen);
  if (kind !== undefined) return kind;
  throw createUsageError(`${VARIABLE}: unknown token store`, `set it to ${TOKEN_STORES.join(' or ')}`);
}
