import { createOnce, type Once } from '../remote/once.js';
import { SCRIPTS } from './scripts.js';
import type { SendCommand } from './stores.js';

export type ScriptName = keyof typeof SCRIPTS;

/** Loads the scripts on first use. */
export interface ScriptLoader {
  /** Returns the digests of the scripts at the node of a key. */
  get(key: string): Promise<ReadonlyMap<string, string>>;
}

/**
 * Loads the scripts, and returns their digests. Each node of a cluster needs them, so they are loaded once for each hash
 * tag. `key` begins with its hash tag.
 */
export function createScriptLoader(send: SendCommand, isCluster: boolean): ScriptLoader {
  const loaded = new Map<string, Once<ReadonlyMap<string, string>>>();
  const load = async (key: string) => {
    const names = Object.keys(SCRIPTS) as ScriptName[];
    const digests = names.map(
      async name => [name, String(await send(key, ['SCRIPT', 'LOAD', SCRIPTS[name]]))] as const,
    );
    return new Map(await Promise.all(digests));
  };
  return {
    get(key) {
      const tag = isCluster ? key.slice(0, key.indexOf('}') + 1) : '';
      const known = loaded.get(tag) ?? createOnce(() => load(key));
      loaded.set(tag, known);
      return known.get();
    },
  };
}
