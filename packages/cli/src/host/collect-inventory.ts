import { type ConfiguredEntry, createHost, type Inventories, toHostServers } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { createCredentials } from './create-host.js';

/** Starts all servers, and reads their inventories. */
export async function collectInventories(
  context: CliContext,
  entries: readonly ConfiguredEntry[],
): Promise<Inventories> {
  const host = await createHost({
    servers: toHostServers(entries),
    // Some servers list more tools for clients that support input requests, so the client declares support for all of
    // them.
    elicit: () => ({ action: 'cancel' }),
    elicitUrl: () => ({ action: 'cancel' }),
    sample: () => Promise.reject(new TenonError('cli/no-model', 'this command has no model for sampling')),
    sampleTools: true,
    roots: [],
    credentials: createCredentials(context, () => entries),
    // The inventory contains the reason of each server that is unavailable. `tenon doctor` finds other errors.
    onError: () => {},
  });
  try {
    return await host.inventory();
  } finally {
    await host.close();
  }
}
