import { basename, join } from 'node:path';
import { type CommandTarget, type ConfiguredEntry, sanitizeName, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { checkTrust } from '../host/server-trust.js';
import { createNotApprovedError } from '../target/resolve-target.js';
import { createBundleTarget, expandSystemVariables } from './create-bundle-command.js';
import { type Bundle, extractBundle } from './extract-bundle.js';
import { collectUserConfig, type UserConfigOptions } from './user-config.js';

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
  const bundle = await extractBundle(path, join(getFolders(context.env).state, 'bundles'));
  const entry = createReviewEntry(path, bundle);
  reportBundle(context, path, bundle);
  const { approved } = await checkTrust(context, [entry], options.trust ?? false);
  if (approved.length === 0) throw createNotApprovedError(sanitizeName(entry.name));
  const fields = bundle.manifest.user_config ?? {};
  const values = await collectUserConfig(context, fields, options, expandSystemVariables);
  const { target, written } = createBundleTarget(bundle, values);
  for (const name of listSecretArguments(bundle)) {
    context.screen.note(
      `the bundle passes the secret "${sanitizeName(name)}" as an argument, which other users can see`,
    );
  }
  return { ...entry, target: useOwnNode(target), written };
}

/** Creates the entry that the user approves. It has the variables of the user, and never their values. */
function createReviewEntry(path: string, bundle: Bundle): ConfiguredEntry {
  const { target } = createBundleTarget(bundle);
  const name = bundle.manifest.name || basename(path, '.mcpb');
  return { name, target, origin: { file: path, line: 1, scope: 'project' } };
}

function reportBundle({ screen }: CliContext, path: string, { manifest, sha256, isSigned }: Bundle): void {
  const name = `${sanitizeName(manifest.name)} ${sanitizeText(manifest.version, { max: 100 })}`;
  const signature = isSigned ? 'signed (the signature is not verified)' : 'unsigned';
  screen.note(`${path}: ${name}, ${signature}, SHA-256 ${sha256}`);
}

/** Uses the Node of this process if the bundle asks for `node`, as other hosts use the Node that they contain. */
const useOwnNode = (target: CommandTarget): CommandTarget =>
  target.command === 'node' && process.versions.bun === undefined ? { ...target, command: process.execPath } : target;

/** Lists the secrets that the manifest itself writes into the arguments of the server. */
function listSecretArguments({ manifest, folder }: Bundle): string[] {
  const { args = [] } = createBundleTarget({ manifest, folder }).target;
  const fields = Object.entries(manifest.user_config ?? {});
  return fields.flatMap(([name, { sensitive }]) =>
    sensitive && args.some(text => text.includes(`\${user_config.${name}}`)) ? [name] : [],
  );
}
