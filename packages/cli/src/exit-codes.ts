/** Exit codes of the process. Scripts rely on them, and `tenon --help` and the guides list the same codes. */
export const exitCodes = {
  /** The command succeeded. */
  success: 0,
  /** A check failed, or an action was denied. */
  rejected: 1,
  /** The command failed before it had a result. */
  failure: 2,
  /** The arguments of the command are invalid. */
  usage: 64,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
