// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests write variables so
import { existsSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { getHomeFolder } from '@tenon/base/node';
import type { CommandTarget } from '@tenon/host';
import { TenonError } from 'tenon';
import type { Bundle } from './extract-bundle.js';
import type { BundleCommand, BundleManifest, UserConfigValue } from './manifest.js';

type Variables = (name: string) => readonly string[] | undefined;

/** Command of a bundle, before and after its variables are replaced. */
export interface BundleTarget {
  readonly target: CommandTarget;
  /** The texts of the manifest, by key. */
  readonly written: Readonly<Record<string, string>>;
}

/** Replaces the variables of the system in a text: `${HOME}`, `${DOCUMENTS}` and others. */
export const expandSystemVariables = (text: string): string => expandText(text, createSystemVariables());

/**
 * Creates the command of a bundle.
 *
 * @param values Values of the user. Absent: variables of the user stay as they are.
 */
export function createBundleTarget(
  { manifest, folder, dataFolder }: Pick<Bundle, 'manifest' | 'folder' | 'dataFolder'>,
  values?: Readonly<Record<string, UserConfigValue>>,
  platform: string = process.platform,
): BundleTarget {
  const { command, args, env } = selectCommand(manifest, platform);
  const system = createSystemVariables(folder);
  const getVariable: Variables = name => {
    const key = name.startsWith('user_config.') ? name.slice('user_config.'.length) : undefined;
    if (key === undefined) return system(name);
    if (values === undefined) return undefined;
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    return value === undefined ? [] : Array.isArray(value) ? value : [String(value)];
  };
  const expanded = args.map(text => ({ text, parts: expandArgument(text, getVariable) }));
  const flat = expanded.flatMap(({ text, parts }) => parts.map(part => ({ text, part })));
  const written = {
    command,
    ...Object.fromEntries(flat.map(({ text }, index) => [`args[${index}]`, text])),
    ...Object.fromEntries(Object.entries(env).map(([name, text]) => [`env.${name}`, text])),
  };
  // `uv` would install packages into the folder of the bundle, whose files are compared before each start.
  const uvEnv = command === 'uv' ? { UV_PROJECT_ENVIRONMENT: join(dataFolder, '.venv') } : {};
  const filled = Object.entries(env).map(([name, text]) => [name, expandText(text, getVariable)] as const);
  return {
    target: {
      command: expandText(command, getVariable),
      args: flat.map(({ part }) => part),
      // An optional value without an answer gives no variable, so that the server applies its own default.
      env: { ...uvEnv, ...Object.fromEntries(filled.filter(([name, value]) => value !== '' || env[name] === '')) },
      cwd: hasRelativePath([command, ...args], folder) ? folder : dataFolder,
    },
    written,
  };
}

/** Tells if a command names a file of the bundle by a relative path, so that it needs the folder of the bundle. */
const hasRelativePath = (words: readonly string[], folder: string): boolean =>
  words.some(word => /[\\/.]/.test(word) && !isAbsolute(word) && existsSync(join(folder, word)));

function selectCommand({ server }: BundleManifest, platform: string): Required<BundleCommand> {
  const { mcp_config: config = {}, type, entry_point: entry } = server;
  const overrides = 'platform_overrides' in config ? config.platform_overrides : undefined;
  const special = overrides && Object.hasOwn(overrides, platform) ? overrides[platform] : undefined;
  const command = special?.command ?? config.command ?? (type === 'uv' ? 'uv' : undefined);
  if (command === undefined) throw new TenonError('mcpb/manifest', 'the bundle has no command');
  const standard = type === 'uv' ? ['run', '--directory', '${__dirname}', join('${__dirname}', entry)] : [];
  const args = special?.args ?? config.args ?? standard;
  return { command, args, env: { ...config.env, ...special?.env } };
}

function createSystemVariables(folder?: string): Variables {
  const home = getHomeFolder();
  const known: Readonly<Record<string, string>> = {
    HOME: home,
    DESKTOP: join(home, 'Desktop'),
    DOCUMENTS: join(home, 'Documents'),
    DOWNLOADS: join(home, 'Downloads'),
    '/': sep,
    pathSeparator: sep,
    ...(folder === undefined ? {} : { __dirname: folder }),
  };
  return name => (Object.hasOwn(known, name) ? [known[name] as string] : undefined);
}

/** An argument that is only a variable becomes one argument for each of its values. */
function expandArgument(text: string, variables: Variables): readonly string[] {
  const [, only] = /^\$\{([^}]+)\}$/.exec(text) ?? [];
  const values = only === undefined ? undefined : variables(only);
  return values ?? [expandText(text, variables)];
}

/** Replaces variables. Unknown ones stay as they are. Values are not searched for variables again. */
function expandText(text: string, variables: Variables): string {
  return text.replace(/\$\{([^}]+)\}/g, (reference, name: string) => variables(name)?.join(',') ?? reference);
}
