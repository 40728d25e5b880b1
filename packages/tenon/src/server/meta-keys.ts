import { TenonError } from '../jsonrpc/error.js';
import type { Meta } from '../model/content.js';
import { isMetaKey, isReservedKey } from '../model/meta.js';

/** Extensions of the protocol itself name their keys with this prefix; whoever offers one may use them. */
const OFFICIAL = 'io.modelcontextprotocol/';

/** Throws when an author's `_meta` has a key that is none, or that only the protocol may define. */
export function checkMeta(what: string, meta: Meta | undefined): void {
  for (const key of Object.keys(meta ?? {})) {
    if (!isMetaKey(key)) {
      throw new TenonError('meta/key', `the _meta of ${what} has a key that is none: "${key.slice(0, 80)}"`, {
        expected: 'a name, or labels, a slash and a name: com.example/thing',
      });
    }
    if (isReservedKey(key) && !key.startsWith(OFFICIAL)) {
      throw new TenonError(
        'meta/reserved',
        `the _meta of ${what} has a key that is the protocol's: "${key.slice(0, 80)}"`,
        {
          next: 'use a prefix of your own, com.example/thing',
        },
      );
    }
  }
}
