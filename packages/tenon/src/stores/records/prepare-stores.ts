import type { SealKey, Stores, TenonError } from '@tenon/base';
import { sealRemoteStores } from '../sealed-stores.js';
import { toRecordStores } from './record-stores.js';

/**
 * Prepares stores for the records of the library: seals what leaves the machine, and gives each record a format version.
 * @throws TenonError `server/state-keys` for stores on another machine without keys.
 */
export function prepareStores(
  stores: Stores,
  keys: readonly SealKey[] | undefined,
  onError: (error: TenonError) => void,
): Stores {
  return toRecordStores(sealRemoteStores(stores, keys, onError), onError);
}
