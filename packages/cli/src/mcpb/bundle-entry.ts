import { resolve } from 'node:path';
import {
  type AskInput,
  type CommandTarget,
  type ConfiguredEntry,
  checkProgram,
  sanitizeName,
  sanitizeText,
} from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import { createBundleTarget, expandSystemVariables } from './create-bundle-command.js';
import { type Bundle, extractBundle, getBundleFolder } from './extract-bundle.js';
import { listUnknownMembers } from './manifest.js';
import { collectUserConfig, type UserConfigSource } from './user-config.js';

/** Maximum number of files that a message names. */
const MAX_NAMES = 5;

type TextByName = Readonly<Record<string, string>>;

/** Server of a bundle, as the user approves it. */
export interface BundleEntry extends ConfiguredEntry {
  /** Collects the values that the server needs, after its approval. */
  readonly complete: () => Promise<CompleteEntry>;
}

/** Server of a bundle that can be started. */
interface CompleteEntry extends ConfiguredEntry {
  /** Compares the unpacked files with the bundle. */
  readonly beforeStart: () => Promise<void>;
}

/** Unpacks a bundle into a folder of the user, and tells the user what it is. */
export async function prepareBundle(context: CliContext, path: string): Promise<Bundle> {
  const bundle = await extractBundle(path, getBundleFolder(context.env));
  const { name, version } = bundle.manifest;
  const signature = bundle.isSigned ? 'signed (the signature is not verified)' : 'unsigned';
  context.screen.note(
    `${path}: ${sanitizeName(name)} ${sanitizeText(version, { max: 100 })}, ${signature}, SHA-256 ${bundle.sha256}`,
  );
  const unknown = listUnknownMembers(bundle.manifest);
  if (unknown.length > 0)
    context.screen.note(
      `${path}: the manifest has members or variables that have no effect here: ${sanitizeText(unknown.slice(0, MAX_NAMES).join(', '), { max: 500 })}${unknown.length > MAX_NAMES ? ', …' : ''}`,
    );
  reportRestored(context, path, bundle);
  return bundle;
}

/** Tells which files were not those of the bundle any more. */
function reportRestored({ screen }: Pick<CliContext, 'screen'>, path: string, bundle: Bundle): void {
  const { changed, added } = bundle.restored;
  const format = (names: readonly string[]) =>
    sanitizeText(names.slice(0, MAX_NAMES).join(', '), { max: 500 }) + (names.length > MAX_NAMES ? ', …' : '');
  if (changed.length > 0)
    screen.note(`${path}: ${changed.length} unpacked files had changed, and were restored: ${format(changed)}`);
  if (added.length > 0)
    screen.note(`${path}: files that the bundle does not have were moved to ${bundle.removedFolder}: ${format(added)}`);
}

/**
 * Converts an entry whose command is a bundle. Its `env` has the values that the bundle requests, and other variables
 * of the server.
 */
export async function createConfiguredBundle(
  context: CliContext,
  entry: ConfiguredEntry & { readonly target: CommandTarget },
  ask: AskInput,
): Promise<BundleEntry> {
  const { command, cwd = context.cwd, args, env = {} } = entry.target;
  const bundle = await prepareBundle(context, resolve(cwd, command));
  const name = sanitizeName(entry.name);
  const source: UserConfigSource = {
    read: field => (Object.hasOwn(env, field) ? env[field] : undefined),
    ask: input => ask({ ...input, id: `${entry.name}/${input.id}`, description: `${name}: ${input.description}` }),
    describeOption: field =>
      `set it in a configuration, as "env": { ${JSON.stringify(field)}: "…" } of the server, or run this in a terminal`,
    cwd: context.cwd,
  };
  return createBundleEntry(context, entry, { bundle, source, args, env });
}

interface BundleParts {
  readonly bundle: Bundle;
  readonly source: UserConfigSource;
  /** Arguments after those of the manifest. */
  readonly args?: readonly string[] | undefined;
  /** Values and other variables that the configuration contains. */
  readonly env?: TextByName | undefined;
}

/** Creates the entry that the user approves. It has the variables of the bundle, and never the values of the user. */
export function createBundleEntry(
  { screen }: Pick<CliContext, 'screen'>,
  entry: Omit<ConfiguredEntry, 'target'>,
  { bundle, source, args = [], env = {} }: BundleParts,
): BundleEntry {
  const fields = bundle.manifest.user_config ?? {};
  const { target, written } = createBundleTarget(bundle);
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(fields, name)));
  const extend = (command: CommandTarget, variables: TextByName): CommandTarget => ({
    ...command,
    args: [...(command.args ?? []), ...args],
    env: { ...command.env, ...variables },
  });
  const complete = async (): Promise<CompleteEntry> => {
    const values = await collectUserConfig(fields, source, expandSystemVariables);
    for (const name of listSecretArguments(bundle))
      screen.note(`the bundle passes the secret "${sanitizeName(name)}" as an argument, which other users can see`);
    const filled = extend(createBundleTarget(bundle, values).target, others);
    // In a lock, the folder of the origin becomes a placeholder, so that the lock is valid on every machine.
    const origin = entry.origin && { ...entry.origin, file: `${bundle.folder}.mcpb` };
    return { ...entry, ...(origin ? { origin } : {}), target: replaceNode(filled), beforeStart: checkFiles };
  };
  // A process that was stopped may have changed the files since.
  const checkFiles = async () => reportRestored({ screen }, bundle.path, await bundle.check());
  const moved = moveWritten(entry.written, target.args?.length ?? 0);
  return { ...entry, target: extend(target, env), written: { ...written, ...moved }, complete };
}

/** Moves the texts of a configuration to the places that its arguments and variables have in the command. */
function moveWritten(written: TextByName = {}, offset: number): TextByName {
  const moved = Object.entries(written).flatMap(([key, text]) => {
    const [, index] = /^args\[(\d+)\]$/.exec(key) ?? [];
    if (index !== undefined) return [[`args[${Number(index) + offset}]`, text] as const];
    return key.startsWith('env') ? [[key, text] as const] : [];
  });
  return Object.fromEntries(moved);
}

/** Uses the Node of this process if no `node` is on the path, as other hosts use the Node that they contain. */
function replaceNode(target: CommandTarget): CommandTarget {
  if (target.command !== 'node' || process.versions.bun !== undefined) return target;
  try {
    checkProgram(target);
    return target;
  } catch {
    return { ...target, command: process.execPath };
  }
}

/** Lists the secrets that the manifest itself writes into the arguments of the server. */
function listSecretArguments(bundle: Bundle): string[] {
  const { args = [] } = createBundleTarget(bundle).target;
  const fields = Object.entries(bundle.manifest.user_config ?? {});
  return fields.flatMap(([name, { sensitive }]) =>
    sensitive && args.some(text => text.includes(`\${user_config.${name}}`)) ? [name] : [],
  );
}
