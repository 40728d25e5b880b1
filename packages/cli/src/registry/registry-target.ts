import { TenonError } from 'tenon';
import type { CommandTarget, UrlTarget } from 'tenon/host';
import { formatReference, toVariableName } from '../mcp-hosts/hosts/variable-text.js';
import type {
  RegistryArgument,
  RegistryInput,
  RegistryPackage,
  RegistryRemote,
  RegistryServer,
} from './registry-document.js';

/** Commands that run a package of each type, with a fixed version. */
const RUNNERS: Readonly<Record<string, (each: RegistryPackage, variables: readonly string[]) => CommandTarget>> = {
  npm: ({ identifier, version }) => ({ command: 'npx', args: ['-y', `${identifier}@${version}`] }),
  pypi: ({ identifier, version }) => ({ command: 'uvx', args: [`${identifier}@${version}`] }),
  nuget: ({ identifier, version }) => ({ command: 'dnx', args: [`${identifier}@${version}`, '--yes'] }),
  oci: ({ identifier }, variables) => ({
    command: 'docker',
    args: ['run', '-i', '--rm', ...variables.flatMap(name => ['-e', name]), identifier],
  }),
};
/** Names and versions of packages. Text that a shell or an option parser could read otherwise is refused. */
const IDENTIFIER = /^[@\w][\w./:@-]{0,300}$/;
const VERSION = /^\w[\w.+-]{0,100}$/;

/** Returns the bundle of a server that cannot be reached at an address or run as another package. */
export function findRegistryBundle({ remotes, packages = [] }: RegistryServer): RegistryPackage | undefined {
  if (remotes?.some(isReachable) || packages.some(isRunnable)) return undefined;
  return packages.find(({ registryType, transport }) => registryType === 'mcpb' && transport.type === 'stdio');
}

const isReachable = ({ type }: RegistryRemote): boolean => type === 'streamable-http' || type === 'sse';

const isRunnable = ({ registryType, transport }: RegistryPackage): boolean =>
  transport.type === 'stdio' && Object.hasOwn(RUNNERS, registryType);

/**
 * Converts an entry of a registry to a server: its first address, else its first package that can be run. Values that
 * the user has to give are references to environment variables.
 *
 * @throws TenonError `registry/not-runnable`
 */
export function createRegistryTarget(server: RegistryServer): CommandTarget | UrlTarget {
  const remote = server.remotes?.find(isReachable);
  if (remote !== undefined) return createRemoteTarget(server, remote);
  const found = server.packages?.find(isRunnable);
  if (found !== undefined) return createPackageTarget(server, found);
  const types = server.packages?.map(({ registryType, transport }) => `${registryType} (${transport.type})`) ?? [];
  throw createNotRunnableError(server, types.join(', ') || 'neither a package nor an address');
}

function createRemoteTarget(server: RegistryServer, { type, url, headers = [], variables }: RegistryRemote): UrlTarget {
  const named = headers.map(header => [header.name ?? '', readValue(server, header, header.name ?? '')] as const);
  const given = named.filter((entry): entry is readonly [string, string] => entry[0] !== '' && entry[1] !== undefined);
  return {
    url: fillTemplate(url, variables),
    headers: Object.fromEntries(given),
    ...(type === 'sse' ? { transport: 'http-sse' } : {}),
  };
}

function createPackageTarget(server: RegistryServer, found: RegistryPackage): CommandTarget {
  const { identifier, version, registryType, environmentVariables = [] } = found;
  const hasVersion = registryType === 'oci' || (version !== undefined && VERSION.test(version) && version !== 'latest');
  if (!IDENTIFIER.test(identifier) || !hasVersion)
    throw createNotRunnableError(
      server,
      `${identifier.slice(0, 100)} with the version ${String(version).slice(0, 100)}`,
    );
  const env = environmentVariables.flatMap(each => {
    const value = readValue(server, each, each.name ?? '');
    return each.name === undefined || value === undefined ? [] : [[each.name, value] as const];
  });
  const runner = RUNNERS[registryType];
  const { command, args = [] } = runner?.(
    found,
    env.map(([name]) => name),
  ) ?? { command: '' };
  const own = (found.packageArguments ?? []).flatMap(each => createArguments(server, each));
  const before = (found.runtimeArguments ?? []).flatMap(each => createArguments(server, each));
  // The package is the last argument of the runner.
  return { command, args: [...args.slice(0, -1), ...before, ...args.slice(-1), ...own], env: Object.fromEntries(env) };
}

function createArguments(server: RegistryServer, argument: RegistryArgument): string[] {
  const { type, name } = argument;
  const value = readValue(server, argument, name?.replace(/^-+/, '') ?? 'ARGUMENT');
  if (type === 'positional') return value === undefined ? [] : [value];
  if (name === undefined || (value === undefined && argument.isRequired !== true)) return [];
  return value === undefined || value === '' ? [name] : [name, value];
}

/** Returns the value of an input: its own, its default, or a reference to a variable of the user. */
function readValue(server: RegistryServer, given: RegistryInput, name: string): string | undefined {
  if (given.value !== undefined) return fillTemplate(given.value, given.variables);
  if (given.default !== undefined) return given.default;
  if (given.isRequired !== true) return undefined;
  if (name === '') throw createNotRunnableError(server, 'a required value without a name');
  return formatReference(toVariableName(name));
}

/** Replaces `{name}` by the default of the variable, or by a reference to a variable of the user. */
function fillTemplate(template: string, variables: RegistryInput['variables'] = {}): string {
  return template.replace(/\{(\w[\w-]*)\}/g, (text, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable === undefined) return text;
    return variable.value ?? variable.default ?? formatReference(toVariableName(name));
  });
}

function createNotRunnableError({ name, version }: RegistryServer, received: string): TenonError {
  return new TenonError('registry/not-runnable', `${name} ${version}: this entry cannot be started or reached`, {
    expected: 'an address, or a package of npm, PyPI, NuGet or OCI on stdio with a version',
    received,
    hint: 'install the server as its author describes, and pass its command after --',
  });
}
