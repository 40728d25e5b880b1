import { computeFingerprint } from '@tenon/base';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import type { Server } from '../../../server/server.js';
import { connect } from '../connect.js';
import type { ListFingerprints } from './messages.js';

/** A server. One that was written without `createServer` may lack the members of `Server`. */
export type AnyServer = RequestHandler & {
  readonly [K in 'tools' | 'prompts' | 'resources' | 'notifyResourceUpdated' | 'close']?: Server[K] | undefined;
};

/** Reads the lists of a server as a client without authorization does. */
export async function readLists(server: AnyServer): Promise<ListFingerprints> {
  const client = await connect(server);
  try {
    const { capabilities } = client.server;
    const [tools, prompts, resources, templates] = await Promise.all([
      capabilities.tools ? collectItems(client.listTools()) : [],
      capabilities.prompts ? collectItems(client.listPrompts()) : [],
      capabilities.resources ? collectItems(client.listResources()) : [],
      capabilities.resources ? collectItems(client.listResourceTemplates()) : [],
    ]);
    return {
      tools: computeListFingerprint(server.tools, tools),
      prompts: computeListFingerprint(server.prompts, prompts),
      resources: computeListFingerprint(server.resources, [...resources, ...templates]),
    };
  } finally {
    await client.close();
  }
}

/** Computes the fingerprint of a list. A list that depends on the caller counts as different each time. */
function computeListFingerprint(
  registry: { readonly isShared: boolean } | undefined,
  items: readonly unknown[],
): string {
  return registry?.isShared === false ? crypto.randomUUID() : computeFingerprint(items);
}

/** Collects a list. One that fails counts as a list with its error, so that it does not hide changes of the others. */
async function collectItems(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const collected: unknown[] = [];
  try {
    for await (const item of items) collected.push(item);
    return collected;
  } catch (error) {
    return [String(error)];
  }
}
