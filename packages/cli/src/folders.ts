import { join } from 'node:path';
import { getHomeFolder, getXdgFolder } from '@tenon/base/node';

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

/** Returns the folders of the command: below `TENON_HOME`, else the standard folders of the platform. */
export function getFolders(
  env: Environment,
  platform: string = process.platform,
  home: string = getHomeFolder(),
): Folders {
  if (env.TENON_HOME)
    return { settings: env.TENON_HOME, state: join(env.TENON_HOME, 'state'), cache: join(env.TENON_HOME, 'cache') };
  if (platform === 'win32') {
    const roaming = env.APPDATA || join(home, 'AppData', 'Roaming');
    const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
    return { settings: join(roaming, 'tenon'), state: join(local, 'tenon'), cache: join(local, 'tenon', 'cache') };
  }
  if (platform === 'darwin') {
    const settings = join(home, 'Library', 'Application Support', 'tenon');
    return { settings, state: join(settings, 'state'), cache: join(home, 'Library', 'Caches', 'tenon') };
  }
  return {
    settings: join(getXdgFolder(env.XDG_CONFIG_HOME, join(home, '.config')), 'tenon'),
    state: join(getXdgFolder(env.XDG_STATE_HOME, join(home, '.local', 'state')), 'tenon'),
    cache: join(getXdgFolder(env.XDG_CACHE_HOME, join(home, '.cache')), 'tenon'),
  };
}
