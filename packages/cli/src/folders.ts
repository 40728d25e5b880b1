import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Folders for files of the user. */
export interface Folders {
  /** Folder of keys and tokens. */
  readonly settings: string;
  /** Folder of approvals. It is separate from the key that hashes them. */
  readonly state: string;
  /** Folder of files that the command writes again if they are missing. */
  readonly cache: string;
}

/**
 * Returns the folders of the command: below `TENON_HOME`, else the standard folders of the platform. Other relative paths
 * of the environment are ignored, as `getHomeFolder` and `getXdgFolder` do. Each start of the command needs these folders before
 * it can use compiled code, so that this module imports no package.
 */
export function getFolders(env: Environment, platform: string = process.platform, home: string = findHome()): Folders {
  if (env.TENON_HOME) {
    const settings = isAbsolute(env.TENON_HOME) ? env.TENON_HOME : resolve(env.TENON_HOME);
    return { settings, state: join(settings, 'state'), cache: join(settings, 'cache') };
  }
  if (platform === 'win32') {
    const roaming = env.APPDATA || join(home, 'AppData', 'Roaming');
    const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
    return { settings: join(roaming, 'tenon'), state: join(local, 'tenon'), cache: join(local, 'tenon', 'cache') };
  }
  if (platform === 'darwin') {
    const settings = join(home, 'Library', 'Application Support', 'tenon');
    return { settings, state: join(settings, 'state'), cache: join(home, 'Library', 'Caches', 'tenon') };
  }
  const find = (variable: string, folder: string): string => {
    const own = env[variable] ?? '';
    return join(isAbsolute(own) ? own : join(home, folder), 'tenon');
  };
  return {
    settings: find('XDG_CONFIG_HOME', '.config'),
    state: find('XDG_STATE_HOME', join('.local', 'state')),
    cache: find('XDG_CACHE_HOME', '.cache'),
  };
}

/** Does what `getHomeFolder` does, without its package. */
function findHome(): string {
  try {
    return isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  } catch {
    // The user of a container may have no entry in its list of users.
    return '/';
  }
}
