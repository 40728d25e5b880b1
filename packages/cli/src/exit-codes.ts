/** Exit codes of the process. Scripts rely on it: `tenon --help` and the guides list the same. */
export const exitCodes = {
  /** Done, and all is well. */
  success: 0,
  /** A check failed, or an action was denied. */
  rejected: 1,
  /** It could not be done or looked at. */
  failure: 2,
  /** The command was called with something that it does not know. */
  usage: 64,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
