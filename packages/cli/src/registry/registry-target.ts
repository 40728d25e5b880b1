import type { CommandTarget, UrlTarget } from '@tenon/host';
import { TenonError } from 'tenon';
import { formatReference, toVariableName } from '../mcp-hosts/hosts/variable-text.js';
import { findVariable, listTexts } from '../target/fill-references.js';
import { createPackageCommand, getOwnRegistry, isPackageType } from './package-command.js';
import type {
  RegistryArgument,
  RegistryInput,
  RegistryPackage,
  RegistryRemote,
  RegistryServer,
} from './registry-document.js';
import { type RunnerArgument, writeRunnerArguments } from './runner-arguments.js';

/** Returns the value that an entry requests under a name. `undefined`: the value is left out. */
export type ReadInput = (name: string, input: RegistryInput) => string | undefined;

/** Server of a registry, and facts for the review of the user. */
export interface RegistryTarget {
  readonly target: CommandTarget | UrlTarget;
  readonly notes: readonly string[];
}

/** Returns the bundle of a server that cannot be reached at an address or run as another package. */
export function findRegistryBundle({ remotes, packages = [] }: RegistryServer): RegistryPackage | undefined {
  if (remotes?.some(isReachable) || packages.some(isRunnable)) return undefined;
  return packages.find(({ registryType, transport }) => registryType === 'mcpb' && transport.type === 'stdio');
}

const isReachable = ({ type }: RegistryRemote): boolean => type === 'streamable-http' || type === 'sse';

const isRunnable = ({ registryType, transport }: RegistryPackage): boolean =>
  transport.type === 'stdio' && isPackageType(registryType);

/**
 * Converts an entry of a registry to a server: its first address, else its first package that can be run.
 *
 * @param read Returns the values that the user gives. Default: the default values, and references to environment
 * variables for required values without one.
 * @throws TenonError `registry/not-runnable`
 */
export function createRegistryTarget(server: RegistryServer, read: ReadInput = readDefault): RegistryTarget {
  refuseVariables(server);
  return createTarget(server, read);
}

function createTarget(server: RegistryServer, read: ReadInput): RegistryTarget {
  const remote = server.remotes?.find(isReachable);
  if (remote !== undefined) return { target: createRemoteTarget(remote, read), notes: [] };
  const found = server.packages?.find(isRunnable);
  if (found !== undefined) return createPackageTarget(server, found, read);
  const types = server.packages?.map(({ registryType, transport }) => `${registryType} (${transport.type})`) ?? [];
  throw createNotRunnableError(server, types.join(', ') || 'neither a package nor an address');
}

/**
 * Refuses texts that would read a variable of the user, which a host or the command replaces. An entry declares the values
 * that it needs, and only these become references.
 */
function refuseVariables(server: RegistryServer): void {
  const texts: string[] = [];
  const { target } = createTarget(server, (_, { default: usual, choices = [] }) => {
    texts.push(...choices);
    return usual ?? 'value';
  });
  const found = findVariable([...texts, ...listTexts(target)]);
  if (found !== undefined) throw createNotRunnableError(server, `${found}, a variable that the entry does not declare`);
}

/** Returns the default of an input, or a reference to an environment variable if it is required. */
export const readDefault: ReadInput = (name, input) =>
  input.default ?? (input.isRequired === true ? formatReference(toVariableName(name)) : undefined);

function createRemoteTarget({ type, url, headers = [], variables }: RegistryRemote, read: ReadInput): UrlTarget {
  return {
    url: fillTemplate(url, variables, read),
    headers: readNamedInputs(headers, read),
    ...(type === 'sse' ? { transport: 'http-sse' } : {}),
  };
}

function createPackageTarget(server: RegistryServer, found: RegistryPackage, read: ReadInput): RegistryTarget {
  const env = readNamedInputs(found.environmentVariables ?? [], read);
  const invalid = Object.keys(env).find(each => !/^[A-Za-z_]\w*$/.test(each));
  if (invalid !== undefined) throw createNotRunnableError(server, `the variable ${invalid.slice(0, 100)}`);
  const created = createPackageCommand(found);
  if (typeof created === 'string') throw createNotRunnableError(server, created);
  const { command, before, name, after, notes } = created;
  const passed = found.registryType === 'oci' ? Object.keys(env).flatMap(each => ['-e', each]) : [];
  const options = writeRunnerArguments(
    command,
    (found.runtimeArguments ?? []).map(each => createRunnerArgument(each, read)),
  );
  if (typeof options === 'string') throw createNotRunnableError(server, options);
  const packageArguments = (found.packageArguments ?? []).flatMap(each => createArguments(each, read));
  const args = [
    ...before,
    ...passed,
    ...options,
    name,
    ...(packageArguments.length > 0 ? after : []),
    ...packageArguments,
  ];
  return { target: { command, args, env }, notes: [...notes, ...describeSource(found)] };
}

/** Tells where a package comes from. */
function describeSource(found: RegistryPackage): string[] {
  const url = getOwnRegistry(found);
  const { fileSha256 } = found;
  return [
    ...(url === undefined ? [] : [`The package comes from ${url}`]),
    ...(fileSha256 === undefined ? [] : [`The entry states the SHA-256 ${fileSha256}. The runtime does not check it`]),
  ];
}

function readNamedInputs(inputs: readonly RegistryInput[], read: ReadInput): Record<string, string> {
  const values = inputs.flatMap(each => {
    const { name = '' } = each;
    const value = name === '' ? undefined : readValue(each, name, read);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

function createRunnerArgument(argument: RegistryArgument, read: ReadInput): RunnerArgument {
  const value = readArgument(argument, read);
  return argument.type === 'positional' ? { value } : { name: argument.name ?? '', value };
}

const readArgument = (argument: RegistryArgument, read: ReadInput): string | undefined =>
  readValue(argument, (argument.name ?? argument.valueHint)?.replace(/^-+/, '') ?? 'argument', read);

function createArguments(argument: RegistryArgument, read: ReadInput): string[] {
  const { type, name } = argument;
  const value = readArgument(argument, read);
  if (type === 'positional') return value === undefined ? [] : [value];
  if (name === undefined || value === undefined) return [];
  return value === '' ? [name] : [name, value];
}

/** Returns the value of an input: its own, or that of the user. */
function readValue(input: RegistryInput, name: string, read: ReadInput): string | undefined {
  return input.value === undefined ? read(name, input) : fillTemplate(input.value, input.variables, read);
}

/** Replaces `{name}` by the value of the variable. A template without its values is of no use, so they are required. */
function fillTemplate(template: string, variables: RegistryInput['variables'] = {}, read: ReadInput): string {
  return template.replace(/\{(\w[\w-]*)\}/g, (text, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable === undefined) return text;
    return variable.value ?? read(name, { ...variable, isRequired: true }) ?? text;
  });
}

function createNotRunnableError({ name, version }: RegistryServer, received: string): TenonError {
  return new TenonError('registry/not-runnable', `${name} ${version}: this entry cannot be started or reached`, {
    expected: 'an address, or a package of npm, PyPI, NuGet or OCI on stdio with a version',
    received,
    hint: 'install the server as its author describes, and pass its command after --',
  });
}
