import type { ConfiguredEntry } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import type { ExitCode } from '../exit-codes.js';
import { checkTrust } from '../host/server-trust.js';
import { lockServer } from '../host/update-lock.js';
import { fillReferences } from '../target/fill-references.js';
import { createNotApprovedError } from '../target/resolve-target.js';
import type { TargetReference } from '../target/target-reference.js';
import { isForeignCommand } from './server-options.js';

/** Options of `tenon add` for the lock file. */
export interface AddLockOptions {
  /**
   * Path of the lock file. `true` uses `mcp.lock`. `false` writes none.
   * @default for bundles and servers of a registry: `mcp.lock` if it exists; else `false`
   */
  readonly lock?: string | boolean;
  /** Starts the server without asking for approval. */
  readonly trust?: boolean;
  /** Adds the server, and writes the lock file, without asking. */
  readonly yes?: boolean;
}

export interface AddedServer extends Pick<ConfiguredEntry, 'name' | 'target'> {
  readonly kind: TargetReference['kind'];
  /** Configuration that the server is added to. */
  readonly file: string | undefined;
}

/** Starts a server that is added, shows what it offers, and writes that into the lock file if the user agrees. */
export async function lockAddedServer(
  context: CliContext,
  { name, target, kind, file = context.cwd }: AddedServer,
  { lock, trust = false, yes }: AddLockOptions,
): Promise<ExitCode> {
  // The user has typed the command or the URL of every other server.
  const scope = isForeignCommand(kind) ? 'project' : 'user';
  const entry = { name, target, origin: { file, line: 1, scope } } as const;
  const { approved } = await checkTrust(context, [entry], trust);
  if (approved.length === 0) throw createNotApprovedError(name);
  const filled = { ...entry, target: fillReferences(entry, context.env) };
  return lockServer(context, filled, { file: typeof lock === 'string' ? lock : 'mcp.lock', yes });
}
