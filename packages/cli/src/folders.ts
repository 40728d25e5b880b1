import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders for files of the user. */
export interface Folders {
  /** Folder of keys and tokens. */
  readonly settings: string;
  /** Folder of approvals. It is separate from the key that hashes them. */
  readonly state: string;
}

/** Returns the folders of the command: below `TENON_HOME`, else the standard folders of the platform. */
export function getFolders(env: Environment, platform: string = process.platform, home: string = homedir()): Folders {
  if (env.TENON_HOME) return { settings: env.TENON_HOME, state: join(env.TENON_HOME, 'state') };
  if (platform === 'win32') {
    const roaming = env.APPDATA || join(home, 'AppData', 'Roaming');
    const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
    return { settings: join(roaming, 'tenon'), state: join(local, 'tenon') };
  }
  if (platform === 'darwin') {
    const settings = join(home, 'Library', 'Application Support', 'tenon');
    return { settings, state: join(settings, 'state') };
  }
  return {
    settings: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'tenon'),
    state: join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'tenon'),
  };
}
