import { stat } from 'node:fs/promises';
import { join, posix, resolve, win32 } from 'node:path';
import { checkObject, checkOptional, checkString, requireArgument, requireKnownOptions } from '@tenon/base';
import { getHomeFolder, getXdgFolder } from '@tenon/base/node';
import type { EntryOrigin } from '../../config/server-entry.js';

/** A configuration file that exists. */
export interface ConfigLocation {
  /** Program whose format and location the file has: `Claude Code`, `VS Code`, …. */
  readonly program: string;
  /** Path of the configuration file. */
  readonly path: string;
  /** Author of the file: the user or the project. */
  readonly scope: EntryOrigin['scope'];
}

export interface ConfigLocationOptions {
  /**
   * Platform, as in `process.platform`.
   * @default the platform of this process
   */
  readonly platform?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly home?: string | undefined;
}

/**
 * Finds the configuration files of a project. Parse them with `scope: 'project'`, and do not start their servers before
 * they are approved.
 */
export async function findProjectConfigs(folder: string): Promise<ConfigLocation[]> {
  requireArgument('`folder` of findProjectConfigs', folder, checkString);
  const root = resolve(folder);
  return filterExisting([
    { program: 'Claude Code', path: join(root, '.mcp.json'), scope: 'project' },
    { program: 'Cursor', path: join(root, '.cursor', 'mcp.json'), scope: 'project' },
    { program: 'VS Code', path: join(root, '.vscode', 'mcp.json'), scope: 'project' },
  ]);
}

/** Finds the configuration files of other MCP hosts of this user. */
export async function findUserConfigs(options: ConfigLocationOptions = {}): Promise<ConfigLocation[]> {
  requireKnownOptions('findUserConfigs', options, { platform: true, env: true, home: true });
  requireArgument('`env` of findUserConfigs', options.env, checkOptional(checkObject()));
  requireArgument('`home` of findUserConfigs', options.home, checkOptional(checkString));
  return filterExisting(listUserConfigLocations(options));
}

/** Returns the locations that `findUserConfigs` searches. */
export function listUserConfigLocations(options: ConfigLocationOptions = {}): ConfigLocation[] {
  const { platform = process.platform, env = process.env, home = getHomeFolder() } = options;
  const path = platform === 'win32' ? win32 : posix;
  const settings = getSettingsFolder(platform, env, home);
  const locations: [program: string, path: string][] = [
    ['Claude Desktop', path.join(settings, 'Claude', 'claude_desktop_config.json')],
    ['Claude Code', path.join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
    ['Cursor', path.join(home, '.cursor', 'mcp.json')],
    ['VS Code', path.join(settings, 'Code', 'User', 'mcp.json')],
    ['Windsurf', path.join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  ];
  return locations.map(([program, file]) => ({ program, path: file, scope: 'user' }));
}

function getSettingsFolder(platform: string, env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (platform === 'win32') return env.APPDATA || win32.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support');
  return getXdgFolder(env.XDG_CONFIG_HOME, posix.join(home, '.config'));
}

async function filterExisting(locations: readonly ConfigLocation[]): Promise<ConfigLocation[]> {
  const isThere = await Promise.all(
    locations.map(({ path }) =>
      stat(path).then(
        stats => stats.isFile(),
        () => false,
      ),
    ),
  );
  return locations.filter((_, index) => isThere[index]);
}
