import { addUriPrefix, removeUriPrefix, TenonError } from '@tenon/base';
import { LISTS, type ListName } from '../protocol/lists.js';
import { checkTaskOptions } from '../server/definitions/task-options.js';
import type { ServerExtension } from '../server/extension.js';
import type { ServerRuntime } from '../server/server-runtime.js';

/** A server and the prefix under which another server offers it. */
export interface MountedServer {
  readonly runtime: ServerRuntime;
  readonly prefix: string;
}

/** Maximum length of the name of a mounted tool or prompt. Many hosts refuse longer names of tools. */
const MAX_NAME = 64;

/** Returns the name or URI by which clients know an entry of a mounted server. */
export function toPublicName(prefix: string, list: ListName, name: string): string {
  return list === 'resources' ? addUriPrefix(prefix, name) : `${prefix}_${name}`;
}

/** Returns the name or URI at the mounted server. Returns `undefined` if the entry cannot be one of it. */
export function toMountedName(prefix: string, list: ListName, name: string): string | undefined {
  if (list === 'resources') return removeUriPrefix(prefix, name);
  return name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : undefined;
}

/**
 * Throws if two entries have one name, or if a name is too long. Entries of a catalog that is a function of the caller are
 * not known here.
 */
export function checkMountedNames(
  mounted: readonly MountedServer[],
  own: { readonly [L in ListName]: readonly string[] },
  extensions: readonly ServerExtension[],
): void {
  const prefixes = mounted.map(({ prefix }) => prefix);
  const twice = prefixes.find((prefix, index) => prefixes.indexOf(prefix) !== index);
  if (twice !== undefined)
    throw new TenonError('mount/prefix', `two servers are mounted with the prefix "${twice}"`, {
      hint: 'use another prefix for one of them',
    });
  for (const list of LISTS) {
    const owners = new Map(own[list].map(name => [name, 'this server']));
    for (const { prefix, runtime } of mounted) {
      for (const name of runtime[list].listNames()) {
        const publicName = toPublicName(prefix, list, name);
        const owner = owners.get(publicName);
        if (owner !== undefined)
          throw new TenonError('mount/name', `two ${list} are called "${publicName}"`, {
            expected: `one of ${owner} or of the server that is mounted with the prefix "${prefix}"`,
            hint: 'rename one of them, or use another prefix',
          });
        owners.set(publicName, `the server that is mounted with the prefix "${prefix}"`);
        if (list !== 'resources' && publicName.length > MAX_NAME)
          throw new TenonError('mount/name', `the name "${publicName}" of a mounted server is too long`, {
            expected: `at most ${MAX_NAME} characters, because many hosts refuse more`,
            received: `${publicName.length} characters`,
            hint: 'use a shorter prefix',
          });
      }
    }
  }
  for (const { prefix, runtime } of mounted)
    for (const name of runtime.tools.listNames()) {
      const tool = runtime.tools.find(name, { client: undefined, capabilities: {}, auth: undefined });
      if (tool) checkTaskOptions(toPublicName(prefix, 'tools', name), tool, extensions);
    }
}
