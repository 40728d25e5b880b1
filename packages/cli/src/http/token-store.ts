import type { TokenStore } from 'tenon/auth';
import { fileTokenStore, keychainTokenStore } from 'tenon/auth/node';
import type { CliContext } from '../cli-context.js';
import { chooseTokenStore, getTokenStorePath, type TokenStoreKind } from './token-store-kind.js';

/** Opens the token store with this name: `tokens` of the user, `caller-tokens` of the callers of a gateway. */
export function openTokenStore(
  context: Pick<CliContext, 'env'> & Partial<Pick<CliContext, 'screen'>>,
  name: 'tokens' | 'caller-tokens',
  option?: TokenStoreKind,
): TokenStore {
  const kind = chooseTokenStore(context, option);
  const path = getTokenStorePath(context, name, kind);
  // Callers of a gateway sign in on its pages.
  const isOwn = name === 'tokens';
  const onWait = () => isOwn && context.screen?.note('Waiting for another program that signs in or renews the token');
  return kind === 'file' ? fileTokenStore(path, { onWait }) : keychainTokenStore(path, { onWait });
}
