import { basename } from 'node:path';
import type { ConfiguredEntry } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import { checkTrust } from '../host/server-trust.js';
import { createNotApprovedError } from '../target/resolve-target.js';
import { createBundleEntry, prepareBundle } from './bundle-entry.js';
import { createOptionSource, type UserConfigOptions } from './user-config.js';

export interface BundleOptions extends UserConfigOptions {
  /** Starts the bundle without asking for approval. */
  readonly trust?: boolean;
}

/**
 * Opens a bundle: unpacks it, asks for approval of its command, and collects the values that it requests.
 *
 * @throws TenonError if it is invalid or not approved.
 */
export async function openBundle(context: CliContext, path: string, options: BundleOptions): Promise<ConfiguredEntry> {
  const bundle = await prepareBundle(context, path);
  const { name, user_config: fields = {} } = bundle.manifest;
  const source = createOptionSource(context, fields, options);
  const identity = {
    name: name || basename(path, '.mcpb'),
    origin: { file: path, line: 1, scope: 'project' },
  } as const;
  const entry = createBundleEntry(context, identity, { bundle, source });
  const { approved } = await checkTrust(context, [entry], options.trust ?? false);
  if (approved.length === 0) throw createNotApprovedError(identity.name);
  return entry.complete();
}
