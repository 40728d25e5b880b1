import { homedir, userInfo } from 'node:os';
import { isAbsolute, parse } from 'node:path';

/**
 * Returns the home folder of the user. `HOME` may be empty or relative, for example in services. Files of the user would
 * then be in the working folder, so that each start would have others, and a repository could bring its own.
 *
 * @param own value of the environment variable
 */
export function getHomeFolder(own?: string): string {
  try {
    const home = own ?? homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    // The user of a container may have no entry in its list of users.
    return parse(process.cwd()).root;
  }
}

/**
 * Returns the folder of an `XDG_` variable, or the default one. A relative path is invalid and ignored.
 * @see https://specifications.freedesktop.org/basedir/latest/#basics
 */
export function getXdgFolder(path: string | undefined, byDefault: string): string {
  return path !== undefined && isAbsolute(path) ? path : byDefault;
}
