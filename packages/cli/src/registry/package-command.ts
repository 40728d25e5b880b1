import { parseUrl } from '@tenon/base';
import { isLoopbackHost } from 'tenon/node';
import { isExactPackage } from './package-grammar.js';
import type { RegistryPackage } from './registry-document.js';

/** Command that runs a package. The arguments of the server follow `after`. */
export interface PackageCommand {
  readonly command: string;
  /** Arguments before the package. */
  readonly before: readonly string[];
  /** The package with its version. */
  readonly name: string;
  /** Arguments between the package and those of the server. */
  readonly after: readonly string[];
  /** Sentences about the command that the user has to know. */
  readonly notes: readonly string[];
}

/** Program that runs packages of one type. */
interface Runner {
  readonly before: readonly string[];
  readonly after?: readonly string[];
  readonly formatPackage: (each: RegistryPackage) => string;
  /** Returns the arguments that select a registry. Absent: the runner has no such option. */
  readonly selectRegistry?: (url: string, each: RegistryPackage) => readonly string[];
}

/** Packages of one type. */
interface PackageType {
  /** Hosts of the public registry. A user may have a mirror of it, so its packages come from the registry of the user. */
  readonly publicHosts: readonly string[];
  /** Programs by name. The first is the default. */
  readonly runners: Readonly<Record<string, Runner>>;
}

const formatAt = ({ identifier, version }: RegistryPackage): string => `${identifier}@${version}`;
const docker: Runner = { before: ['run', '-i', '--rm'], formatPackage: formatImage, selectRegistry: () => [] };

const TYPES: Readonly<Record<string, PackageType>> = {
  npm: {
    publicHosts: ['registry.npmjs.org'],
    runners: {
      npx: { before: ['-y'], formatPackage: formatAt, selectRegistry: selectNpmRegistry },
      bunx: { before: [], formatPackage: formatAt },
    },
  },
  pypi: {
    publicHosts: ['pypi.org'],
    runners: {
      uvx: { before: [], formatPackage: formatAt, selectRegistry: url => ['--default-index', toSimpleIndex(url)] },
      pipx: {
        before: ['run'],
        formatPackage: ({ identifier, version }) => `${identifier}==${version}`,
        selectRegistry: url => ['--index-url', toSimpleIndex(url)],
      },
    },
  },
  nuget: {
    publicHosts: ['api.nuget.org', 'www.nuget.org', 'nuget.org'],
    runners: {
      dnx: {
        before: ['--yes'],
        after: ['--'],
        formatPackage: formatAt,
        selectRegistry: url => ['--source', url],
      },
    },
  },
  // The identifier of an image contains its host.
  oci: { publicHosts: [], runners: { docker, podman: docker } },
};

const REGISTRY_URL = /^https?:\/\/[\w.:[\]-]+(?:\/[\w./~-]*)?$/;
const DOCKER_HOSTS = ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'hub.docker.com'];

/** Tells if there is a program for packages of a type. */
export const isPackageType = (type: string): boolean => Object.hasOwn(TYPES, type);

/**
 * Returns the command that runs a package of the registry that the entry names.
 *
 * @returns The reason, as text, if no command does exactly that.
 */
export function createPackageCommand(found: RegistryPackage): PackageCommand | string {
  const { registryType, identifier, runtimeHint, runtimeArguments = [] } = found;
  const type = TYPES[registryType];
  if (type === undefined) return `a package of the type ${registryType}`;
  const known = Object.keys(type.runners);
  const hinted = runtimeHint !== undefined && Object.hasOwn(type.runners, runtimeHint) ? runtimeHint : undefined;
  const isUnknown = runtimeHint !== undefined && hinted === undefined;
  const hint = String(runtimeHint).slice(0, 50);
  // Arguments of another program could have another meaning here.
  if (isUnknown && runtimeArguments.length > 0)
    return `arguments for the runtime ${hint}. Known runtimes: ${known.join(', ')}`;
  const command = hinted ?? known[0] ?? '';
  const runner = type.runners[command];
  if (runner === undefined || !isExactPackage(found))
    return `${identifier.slice(0, 100)} with the version ${String(found.version).slice(0, 100)}`;
  const selection = selectRegistry(found, type, runner);
  if (typeof selection === 'string') return `${selection} (${command})`;
  return {
    command,
    before: [...runner.before, ...selection],
    name: runner.formatPackage(found),
    after: runner.after ?? [],
    notes: [
      ...(isUnknown ? [`The entry names the runtime ${hint}, which is not known. ${command} is used`] : []),
      ...(type === TYPES.oci && !/@sha256:/.test(found.identifier)
        ? ['The tag of the image can be moved to other content. Only a digest cannot']
        : []),
    ],
  };
}

/** Returns the registry of a package, if it is not the public one of its type. */
export function getOwnRegistry({ registryType, registryBaseUrl }: RegistryPackage): string | undefined {
  if (registryBaseUrl === undefined) return undefined;
  const isPublic = TYPES[registryType]?.publicHosts.includes(parseUrl(registryBaseUrl)?.host ?? '');
  return isPublic ? undefined : registryBaseUrl;
}

/** Returns the arguments that select the registry of a package, or the reason against it. */
function selectRegistry(found: RegistryPackage, type: PackageType, runner: Runner): readonly string[] | string {
  const url = getOwnRegistry(found);
  if (url === undefined) return [];
  const host = parseUrl(url)?.host;
  if (host === undefined || !REGISTRY_URL.test(url)) return `the invalid registryBaseUrl ${url.slice(0, 200)}`;
  if (url.startsWith('http:') && !isLoopbackHost(new URL(url).hostname))
    return `the registryBaseUrl ${url.slice(0, 200)}, which is not https:`;
  if (type === TYPES.oci && !isImageOf(found.identifier, host))
    return `the image ${found.identifier.slice(0, 100)} of another registry than ${host}`;
  return runner.selectRegistry?.(url, found) ?? `the registry ${url.slice(0, 200)}, which this runtime cannot select`;
}

/** Returns the name of an image. Older entries state its tag as the version, and its host as the registry. */
function formatImage({ identifier, version, registryBaseUrl }: RegistryPackage): string {
  const host = registryBaseUrl === undefined ? undefined : parseUrl(registryBaseUrl)?.host;
  const hasOtherHost = host !== undefined && !DOCKER_HOSTS.includes(host) && getImageHost(identifier) === undefined;
  const name = hasOtherHost ? `${host}/${identifier}` : identifier;
  return /[:@][^/]+$/.test(name) ? name : `${name}:${version}`;
}

/** Returns the host in the name of an image, as Docker reads it. */
function getImageHost(identifier: string): string | undefined {
  const [first = '', ...others] = identifier.split('/');
  return others.length > 0 && /[.:]|^localhost$/.test(first) ? first : undefined;
}

function isImageOf(identifier: string, host: string): boolean {
  const imageHost = getImageHost(identifier);
  return (
    imageHost === undefined || imageHost === host || (DOCKER_HOSTS.includes(imageHost) && DOCKER_HOSTS.includes(host))
  );
}

/** The registry of a scope in `.npmrc` has priority over `--registry`, so it is set as well. */
function selectNpmRegistry(url: string, { identifier }: RegistryPackage): string[] {
  const [scope] = /^@[^/]+(?=\/)/.exec(identifier) ?? [];
  return [`--registry=${url}`, ...(scope === undefined ? [] : [`--${scope}:registry=${url}`])];
}

/** Adds the path of the index that installers read: `https://pypi.org` has it at `/simple`. */
const toSimpleIndex = (url: string): string => (/\/simple\/?$/.test(url) ? url : `${url.replace(/\/$/, '')}/simple`);
