/** What the process ends with. Scripts rely on it: `tenon --help` and the guides list the same. */
export const exit = {
  /** Done, and all is well. */
  fine: 0,
  /** What was looked at is not as it should be, or somebody said no. */
  no: 1,
  /** It could not be done or looked at. */
  failed: 2,
  /** The command was called with something that it does not know. */
  misused: 64,
} as const;

export type ExitCode = (typeof exit)[keyof typeof exit];
