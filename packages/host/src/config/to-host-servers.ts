import { checkArray, checkObject, requireArgument } from '@tenon/base';
import type { HostServer } from '../host-options.js';
import type { ConfiguredEntry } from './server-entry.js';

/**
 * Converts entries of a configuration to servers of a host, for the option `servers` of `createHost` and `host.update`.
 *
 * @throws {TenonError} `options/invalid`, if `entries` is no list of objects
 */
export function toHostServers(entries: readonly ConfiguredEntry[]): Record<string, HostServer> {
  requireArgument('`entries` of toHostServers', entries, checkArray(checkObject()));
  return Object.fromEntries(
    entries.map(({ name, target, written: _, ...settings }) => [name, { ...target, ...settings }]),
  );
}
