import { type ConfiguredEntry, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { checkTrust } from '../host/server-trust.js';
import { createNotApprovedError } from '../target/resolve-target.js';
import { createUsageError } from '../usage-error.js';
import { readRegistryServer, selectRegistry } from './registry-client.js';
import type { RegistryName } from './registry-name.js';
import { createRegistryTarget } from './registry-target.js';

const REFERENCE = /\$\{(\w+)\}/g;

/** Reads a server from the registry. Its values are references to variables of the user. Tells what it would run. */
export async function reviewRegistryServer(
  { screen, env }: CliContext,
  { name, version }: RegistryName,
): Promise<ConfiguredEntry> {
  const registry = selectRegistry(env);
  const { server, status } = await readRegistryServer(registry, name, version);
  const target = createRegistryTarget(server);
  const about = sanitizeText(`${server.name} ${server.version} of ${registry}`, { max: 500 });
  screen.note(`${about}${status === 'deprecated' ? ' (deprecated)' : ''}: ${formatTarget(target)}`);
  const names = listReferences(target);
  if (names.length > 0) screen.note(`It gets these variables: ${names.join(', ')}`);
  return { name: server.name, target, origin: { file: registry, line: 1, scope: 'project' } };
}

/**
 * Reads a server from the registry, and asks for approval of its command. Its variables get their values.
 *
 * @throws TenonError `config/not-approved`; `cli/usage` for a variable that is not set
 */
export async function openRegistryServer(
  context: CliContext,
  name: RegistryName,
  options: { readonly trust?: boolean; readonly env?: Readonly<Record<string, string>> },
): Promise<ConfiguredEntry['target']> {
  const entry = await reviewRegistryServer(context, name);
  const { approved } = await checkTrust(context, [entry], options.trust ?? false);
  if (approved.length === 0) throw createNotApprovedError(entry.name);
  const values = { ...context.env, ...options.env };
  const missing = listReferences(entry.target).filter(each => !values[each]);
  if (missing.length > 0)
    throw createUsageError(
      `${entry.name}: environment variables are not set: ${missing.join(', ')}`,
      'set them, or pass --env NAME=VALUE for values that are no secrets',
    );
  return mapTexts(entry.target, text => text.replace(REFERENCE, (_, each: string) => values[each] ?? ''));
}

function listReferences(target: ConfiguredEntry['target']): string[] {
  const names = new Set<string>();
  mapTexts(target, text => {
    for (const [, name = ''] of text.matchAll(REFERENCE)) names.add(name);
    return text;
  });
  return [...names];
}

function mapTexts<T extends ConfiguredEntry['target']>(target: T, change: (text: string) => string): T {
  const mapRecord = (record: object = {}) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(String(value))]));
  if ('url' in target) return { ...target, url: change(String(target.url)), headers: mapRecord(target.headers) };
  return { ...target, args: (target.args ?? []).map(change), env: mapRecord(target.env) };
}

function formatTarget(target: ConfiguredEntry['target']): string {
  const text = 'url' in target ? `at ${target.url}` : `runs ${[target.command, ...(target.args ?? [])].join(' ')}`;
  return sanitizeText(text, { max: 2000 });
}
