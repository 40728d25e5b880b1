import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { getHomeFolder, getXdgFolder } from '@tenon/base/node';
import type { HostPath, McpHost, Platform } from './mcp-host.js';

/** Folders of one user. Tests pass those of another platform. */
export interface UserPlaces {
  readonly platform: Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the project. */
  readonly cwd: string;
}

/** Returns the folders of the user who runs the command. */
export function getUserPlaces({ env, cwd }: Pick<UserPlaces, 'env' | 'cwd'>): UserPlaces {
  const { platform } = process;
  const home = getHomeFolder((platform === 'win32' ? env.USERPROFILE : env.HOME) || undefined);
  return { platform: platform === 'win32' || platform === 'darwin' ? platform : 'linux', home, env, cwd };
}

/** Files that a command changes: those of the user, or those of the project. */
export type ConfigScope = 'user' | 'project';

/** Returns the file of a host, or `undefined` if it has none in this scope. */
export function getHostFile(host: McpHost, scope: ConfigScope, places: UserPlaces): string | undefined {
  const path = places.platform === 'win32' ? win32 : posix;
  const files =
    scope === 'user'
      ? host.user.map(each => resolveHostPath(each, places))
      : host.project.map(each => path.join(places.cwd, each));
  return files.find(file => existsSync(file)) ?? files[0];
}

/** Tells if a host is installed for this user, by its files. */
export function isInstalled(host: McpHost, places: UserPlaces): boolean {
  const path = places.platform === 'win32' ? win32 : posix;
  const files = host.user.map(each => resolveHostPath(each, places));
  const traces = host.traces?.map(each => resolveHostPath(each, places)) ?? files.map(file => path.dirname(file));
  return [...files, ...traces].some(file => existsSync(file));
}

/** Resolves the variables of a path. */
export function resolveHostPath(template: HostPath, places: UserPlaces): string {
  const { platform, env } = places;
  const text = typeof template === 'string' ? template : template[platform];
  const path = platform === 'win32' ? win32 : posix;
  const resolved = text.replace(/^\{([A-Za-z_]+)(?::([^}]*))?\}/, (_, name: string, fallback?: string) =>
    fallback === undefined ? getFolder(name, places) : env[name] || fallback,
  );
  return path.normalize(resolved.replace(/^~(?=$|[\\/])/, () => places.home));
}

function getFolder(name: string, { platform, home, env }: UserPlaces): string {
  const config = getXdgFolder(env.XDG_CONFIG_HOME, `${home}/.config`);
  if (name === 'config') return config;
  if (name === 'local') return env.LOCALAPPDATA || `${home}/AppData/Local`;
  if (platform === 'win32') return env.APPDATA || `${home}/AppData/Roaming`;
  return platform === 'darwin' ? `${home}/Library/Application Support` : config;
}
