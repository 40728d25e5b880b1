import { type ConfiguredEntry, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { checkTrust } from '../host/server-trust.js';
import { installBundle } from '../mcpb/install-bundle.js';
import { type BundleOptions, openBundle } from '../mcpb/open-bundle.js';
import { fillReferences, listReferences } from '../target/fill-references.js';
import { createNotApprovedError } from '../target/resolve-target.js';
import { fetchBundle } from './registry-bundle.js';
import { readRegistryServer, selectRegistry } from './registry-client.js';
import type { RegistryServer } from './registry-document.js';
import type { RegistryName } from './registry-name.js';
import { createRegistryTarget, findRegistryBundle } from './registry-target.js';

/** Values for a server of a registry. */
interface RegistryServerOptions extends BundleOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Reads a server from the registry, for hosts that start it later. Tells what it runs. Its values are references to
 * variables of the user. A bundle is downloaded and unpacked.
 */
export async function installRegistryServer(
  context: CliContext,
  name: RegistryName,
  env: Readonly<Record<string, string>> = {},
): Promise<ConfiguredEntry['target']> {
  const read = await readServer(context, name);
  const path = await fetchOnlyBundle(context, read);
  if (path !== undefined) return installBundle(context, path, env);
  const { target } = reviewServer(context, read);
  return 'url' in target ? target : { ...target, env: { ...target.env, ...env } };
}

/**
 * Reads a server from the registry, and asks for approval of its command. Its variables get their values.
 *
 * @throws TenonError `config/not-approved`; `cli/usage` for a variable that is not set
 */
export async function openRegistryServer(
  context: CliContext,
  name: RegistryName,
  options: RegistryServerOptions,
): Promise<ConfiguredEntry['target']> {
  const read = await readServer(context, name);
  const path = await fetchOnlyBundle(context, read);
  if (path !== undefined) return (await openBundle(context, path, options)).target;
  const entry = reviewServer(context, read);
  const { approved } = await checkTrust(context, [entry], options.trust ?? false);
  if (approved.length === 0) throw createNotApprovedError(entry.name);
  return fillReferences(entry, { ...context.env, ...options.env });
}

/** Server as a registry describes it. */
interface ReadServer {
  readonly server: RegistryServer;
  readonly registry: string;
  readonly isDeprecated: boolean;
}

async function readServer({ env }: CliContext, { name, version }: RegistryName): Promise<ReadServer> {
  const registry = selectRegistry(env);
  const { server, status } = await readRegistryServer(registry, name, version);
  return { server, registry, isDeprecated: status === 'deprecated' };
}

/** Downloads the bundle of a server that can only be run from one. Returns its path. */
async function fetchOnlyBundle(context: CliContext, read: ReadServer): Promise<string | undefined> {
  const bundle = findRegistryBundle(read.server);
  if (bundle === undefined) return undefined;
  const path = await fetchBundle(context, bundle);
  reportServer(context, read);
  return path;
}

/** Tells what a server runs, and which variables it gets. */
function reviewServer(context: CliContext, read: ReadServer): ConfiguredEntry {
  const { server, registry } = read;
  const target = createRegistryTarget(server);
  reportServer(context, read);
  context.screen.note(formatTarget(target));
  const names = listReferences(target);
  if (names.length > 0) context.screen.note(`It gets these variables: ${names.join(', ')}`);
  return { name: server.name, target, origin: { file: registry, line: 1, scope: 'project' } };
}

/** Tells the version and the state of a server, once it is known that it can be run. */
function reportServer({ screen }: CliContext, { server, registry, isDeprecated }: ReadServer): void {
  const about = sanitizeText(`${server.name} ${server.version} of ${registry}`, { max: 500 });
  screen.note(`${about}${isDeprecated ? ' (deprecated)' : ''}`);
}

function formatTarget(target: ConfiguredEntry['target']): string {
  const text =
    'url' in target ? `It is at ${target.url}` : `It runs ${[target.command, ...(target.args ?? [])].join(' ')}`;
  return sanitizeText(text, { max: 2000 });
}
