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
  const { server, registry } = await readServer(context, name);
  const bundle = findRegistryBundle(server);
  if (bundle !== undefined) return installBundle(context, await fetchBundle(context, bundle), env);
  const { target } = reviewServer(context, server, registry);
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
  const { server, registry } = await readServer(context, name);
  const bundle = findRegistryBundle(server);
  if (bundle !== undefined) {
    const path = await fetchBundle(context, bundle);
    return (await openBundle(context, path, options)).target;
  }
  const entry = reviewServer(context, server, registry);
  const { approved } = await checkTrust(context, [entry], options.trust ?? false);
  if (approved.length === 0) throw createNotApprovedError(entry.name);
  return fillReferences(entry, { ...context.env, ...options.env });
}

/** Reads a server, and tells its version and state. */
async function readServer(
  { screen, env }: CliContext,
  { name, version }: RegistryName,
): Promise<{ readonly server: RegistryServer; readonly registry: string }> {
  const registry = selectRegistry(env);
  const { server, status } = await readRegistryServer(registry, name, version);
  const about = sanitizeText(`${server.name} ${server.version} of ${registry}`, { max: 500 });
  screen.note(`${about}${status === 'deprecated' ? ' (deprecated)' : ''}`);
  return { server, registry };
}

/** Tells what a server runs, and which variables it gets. */
function reviewServer({ screen }: CliContext, server: RegistryServer, registry: string): ConfiguredEntry {
  const target = createRegistryTarget(server);
  screen.note(formatTarget(target));
  const names = listReferences(target);
  if (names.length > 0) screen.note(`It gets these variables: ${names.join(', ')}`);
  return { name: server.name, target, origin: { file: registry, line: 1, scope: 'project' } };
}

function formatTarget(target: ConfiguredEntry['target']): string {
  const text =
    'url' in target ? `It is at ${target.url}` : `It runs ${[target.command, ...(target.args ?? [])].join(' ')}`;
  return sanitizeText(text, { max: 2000 });
}
