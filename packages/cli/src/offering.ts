import { TenonError } from 'tenon';
import { type ConfiguredEntry, createHost, type Offered, safeText } from 'tenon/host';
import { credentialsOf, serversOf } from './hosting.js';
import type { World } from './world.js';

/** What was asked of servers. */
interface Asked {
  readonly offered: readonly Offered[];
  readonly absent: readonly { readonly server: string; readonly why: string }[];
}

/** Starts all servers, and reads all that they offer. */
export async function askAll(world: World, entries: readonly ConfiguredEntry[]): Promise<Asked> {
  const host = await createHost({
    servers: serversOf(entries),
    // Some servers offer more to those who can be asked: all of it is to be known.
    elicit: () => ({ action: 'cancel' }),
    elicitUrl: () => ({ action: 'cancel' }),
    sample: () => Promise.reject(new TenonError('cli/no-model', 'there is no model here')),
    sampleTools: true,
    roots: [],
    credentials: credentialsOf(world, entries),
    onProblem: error => world.screen.note(safeText(error.message, { lines: true })),
  });
  try {
    return await host.offered();
  } finally {
    await host.close();
  }
}
