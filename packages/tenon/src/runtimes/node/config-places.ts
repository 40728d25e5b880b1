import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, posix, resolve, win32 } from 'node:path';
import type { Origin } from '../../host/config/server-entry.js';

/** A configuration that is there. */
export interface ConfigPlace {
  /** Whose format and place it is: `Claude Code`, `VS Code`, … */
  readonly program: string;
  readonly path: string;
  readonly scope: Origin['scope'];
}

export interface PlaceSurroundings {
  /** Default: those of this process. */
  readonly platform?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly home?: string | undefined;
}

/**
 * The configurations that a project brings along. Read them with `scope: 'project'`, and run nothing of them before it is
 * approved.
 */
export async function projectConfigs(folder: string): Promise<ConfigPlace[]> {
  const root = resolve(folder);
  return present([
    { program: 'Claude Code', path: join(root, '.mcp.json'), scope: 'project' },
    { program: 'Cursor', path: join(root, '.cursor', 'mcp.json'), scope: 'project' },
    { program: 'VS Code', path: join(root, '.vscode', 'mcp.json'), scope: 'project' },
  ]);
}

/** The user's own configurations of other programs, where they keep them on this platform. */
export async function userConfigs(surroundings: PlaceSurroundings = {}): Promise<ConfigPlace[]> {
  return present(userPlaces(surroundings));
}

/** Where `userConfigs` looks. */
export function userPlaces(surroundings: PlaceSurroundings = {}): ConfigPlace[] {
  const { platform = process.platform, env = process.env, home = homedir() } = surroundings;
  const path = platform === 'win32' ? win32 : posix;
  const settings = settingsFolder(platform, env, home);
  const places: [program: string, path: string][] = [
    ['Claude Desktop', path.join(settings, 'Claude', 'claude_desktop_config.json')],
    ['Claude Code', path.join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
    ['Cursor', path.join(home, '.cursor', 'mcp.json')],
    ['VS Code', path.join(settings, 'Code', 'User', 'mcp.json')],
    ['Windsurf', path.join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  ];
  return places.map(([program, file]) => ({ program, path: file, scope: 'user' }));
}

function settingsFolder(platform: string, env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (platform === 'win32') return env.APPDATA || win32.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || posix.join(home, '.config');
}

async function present(places: readonly ConfigPlace[]): Promise<ConfigPlace[]> {
  const isThere = await Promise.all(
    places.map(({ path }) =>
      stat(path).then(
        found => found.isFile(),
        () => false,
      ),
    ),
  );
  return places.filter((_, at) => isThere[at]);
}
