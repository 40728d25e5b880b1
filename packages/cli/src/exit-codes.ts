/** What the process ends with. Scripts rely on it: `tenon --help` and the guides list the same. */
export const exitCodes = {
  /** Done, and all is well. */
  success: 0,
  /** What was looked at is not as it should be, or somebody said no. */
  rejected: 1,
  /** It could not be done or looked at. */
  failure: 2,
  /** The command was called with something that it does not know. */
  usage: 64,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
