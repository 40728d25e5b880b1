import { userInfo } from 'node:os';

/** Returns the name of the user who runs the command. A container may run as a user without a name, which has its number. */
export function getUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'without a name'}`;
  }
}
