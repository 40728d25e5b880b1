import type { TokenStore } from 'tenon/auth';
import { fileTokenStore, keychainTokenStore } from 'tenon/auth/node';
import type { CliContext } from '../cli-context.js';
import { chooseTokenStore, getTokenStorePath, type TokenStoreKind } from './token-store-kind.js';

/** Opens the token store with this name: `tokens` of the user, `caller-tokens` of the callers of a gateway. */
export function openTokenStore(
  context: Pick<CliContext, 'env'>,
  name: 'tokens' | 'caller-tokens',
  option?: TokenStoreKind,
): TokenStore {
  const kind = chooseTokenStore(context, option);
  const path = getTokenStorePath(context, name, kind);
  return kind === 'file' ? fileTokenStore(path) : keychainTokenStore(path);
}
