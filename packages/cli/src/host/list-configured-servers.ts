import { resolve } from 'node:path';
import type { ConfiguredServerState } from '@tenon/console/api';
import { createHost, toHostServers } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { findGateways } from '../gateway/find-gateways.js';
import { listServerStates } from '../gateway/gateway-status.js';
import { listSkipped } from '../gateway/report-servers.js';
import { approveEntries } from './approve-entries.js';
import { createCredentials } from './create-host.js';
import { createInputMemory } from './input-prompt.js';
import { readConfiguration } from './read-configuration.js';

/** Configured servers, and the gateway that runs them. */
export interface ConfiguredServers {
  readonly files: readonly string[];
  readonly servers: readonly ConfiguredServerState[];
  /** Process of the gateway that runs them. Absent if the command has started them. */
  readonly gateway?: number | undefined;
}

/**
 * Lists the servers of the configuration with their states: those of a running gateway to the same files, else those
 * after one connection to each server.
 *
 * @param paths Configuration files. Empty: those of this folder, else those of the user's MCP hosts.
 */
export async function listConfiguredServers(
  context: CliContext,
  paths: readonly string[],
  trust: boolean,
): Promise<ConfiguredServers> {
  const inputs = createInputMemory(context);
  const configuration = await readConfiguration(context, paths, { inputs, withUserFiles: true });
  const { files, entries, disabled } = configuration;
  // A gateway that does not respond does not prevent a list.
  const gateways = await findGateways(context).catch(() => []);
  const running = gateways.find(({ status }) => hasSameFiles(status.files, files));
  if (running) return { files, servers: running.status.servers, gateway: running.record.pid };
  const decision = await approveEntries(context, entries, trust, inputs);
  const { approved } = decision;
  const host = await createHost({
    servers: toHostServers(approved),
    credentials: createCredentials(context, () => approved),
    elicit: () => ({ action: 'cancel' }),
    elicitUrl: () => ({ action: 'cancel' }),
    sample: () => Promise.reject(new TenonError('cli/no-model', 'this command has no model for sampling')),
    roots: [],
    // The list contains the reason of each server.
    onError: () => {},
  });
  try {
    const described = await Promise.all(approved.map(({ name }) => host.reconnectServer(name)));
    return { files, servers: listServerStates(described, listSkipped(configuration, decision), disabled) };
  } finally {
    await host.close();
  }
}

const hasSameFiles = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((file, index) => resolve(file) === resolve(other[index] ?? ''));
