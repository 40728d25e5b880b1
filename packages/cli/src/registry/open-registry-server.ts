import { type ConfiguredEntry, sanitizeText } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import { createInputPrompt } from '../host/input-prompt.js';
import { checkTrust } from '../host/server-trust.js';
import { toVariableName } from '../mcp-hosts/hosts/variable-text.js';
import { installBundle } from '../mcpb/install-bundle.js';
import { type BundleOptions, openBundle } from '../mcpb/open-bundle.js';
import { fillReferences } from '../target/fill-references.js';
import { createNotApprovedError } from '../target/resolve-target.js';
import { reviewTarget } from '../target/review-target.js';
import { readVariable } from '../usage-error.js';
import { fetchBundle } from './registry-bundle.js';
import { readRegistryServer, selectRegistry } from './registry-client.js';
import type { RegistryServer } from './registry-document.js';
import { collectInputs, isSecret, readCollected } from './registry-inputs.js';
import type { RegistryName } from './registry-name.js';
import { createRegistryTarget, findRegistryBundle } from './registry-target.js';

/** Values for a server of a registry. */
interface RegistryServerOptions extends BundleOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** Values for a server of a registry that is added to hosts. Without a terminal, nobody is asked for others. */
export interface RegistryValues {
  readonly env?: Readonly<Record<string, string>>;
  readonly header?: Readonly<Record<string, string>>;
  /** Values that the entry requests, by name. */
  readonly userConfig?: Readonly<Record<string, string>>;
}

/**
 * Reads a server from the registry, for hosts that start it later, and shows what it runs. Asks the user for the values
 * that it requests. Secrets are references to variables of the user. A bundle is downloaded and unpacked.
 *
 * @throws TenonError `cli/usage` for required values that are missing
 */
export async function installRegistryServer(
  context: CliContext,
  name: RegistryName,
  { env = {}, header = {}, userConfig = {} }: RegistryValues = {},
): Promise<ConfiguredEntry['target']> {
  const read = await readServer(context, name);
  const path = await fetchOnlyBundle(context, read);
  if (path !== undefined) return installBundle(context, path, { env, userConfig });
  // An entry that cannot be run is refused before the user is asked for values.
  createRegistryTarget(read.server);
  reportServer(context, read);
  const values = await collectInputs(context, read.server, {
    given: userConfig,
    others: { ...env, ...header },
    ask: createInputPrompt(context),
    isAsked: input => !isSecret(input),
    canUseSecrets: false,
  });
  const { target, notes } = createRegistryTarget(read.server, readCollected(values));
  for (const note of notes) context.screen.note(sanitizeText(note, { max: 500 }));
  return 'url' in target ? target : { ...target, env: { ...target.env, ...env } };
}

interface OpenedServer extends Pick<ConfiguredEntry, 'target'> {
  /** The target with its variables as `${NAME}`. Absent for a bundle. */
  readonly template?: ConfiguredEntry['target'];
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
): Promise<OpenedServer> {
  const read = await readServer(context, name);
  const path = await fetchOnlyBundle(context, read);
  if (path !== undefined) return openBundle(context, path, options);
  const { server, registry } = read;
  const { target, notes } = createRegistryTarget(server);
  reportServer(context, read);
  for (const note of notes) context.screen.note(sanitizeText(note, { max: 500 }));
  const written = listWrittenTexts(target);
  reviewTarget(context, { target, written });
  const entry: ConfiguredEntry = {
    name: server.name,
    target,
    written,
    origin: { file: registry, line: 1, scope: 'project' },
  };
  const { approved } = await checkTrust(context, [entry], options.trust ?? false);
  if (approved.length === 0) throw createNotApprovedError(entry.name);
  const variables = { ...context.env, ...options.env };
  const values = await collectInputs(context, server, {
    given: options.userConfig ?? {},
    others: readVariables(context, options.userConfigEnv),
    ask: options.input === false ? () => undefined : createInputPrompt(context),
    isAsked: input =>
      input.isRequired === true && input.default === undefined && !variables[toVariableName(input.name)],
    canUseSecrets: true,
  });
  const filled = { ...entry, ...createRegistryTarget(server, readCollected(values)) };
  return { target: fillReferences(filled, variables), template: target };
}

/** Texts of a server with its variables, by key, from which the review tells what is sent to another machine. */
const listWrittenTexts = (target: ConfiguredEntry['target']): Record<string, string> =>
  'url' in target
    ? {
        url: target.url,
        ...Object.fromEntries(Object.entries(target.headers ?? {}).map(([name, text]) => [`headers.${name}`, text])),
      }
    : {};

const readVariables = ({ env }: CliContext, names: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names).map(([name, variable]) => [
      name,
      readVariable(env, variable, `--user-config-env ${name}=VARIABLE`),
    ]),
  );

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

/** Tells the version and the state of a server, once it is known that it can be run. */
function reportServer({ screen }: CliContext, { server, registry, isDeprecated }: ReadServer): void {
  const about = sanitizeText(`${server.name} ${server.version} of ${registry}`, { max: 500 });
  screen.note(`${about}${isDeprecated ? ' (deprecated)' : ''}`);
}
