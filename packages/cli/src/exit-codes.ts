/** Exit codes of the process. Scripts rely on them: `tenon help --all` and docs/command list the same. */
export const exitCodes = {
  /** The command is done. */
  success: 0,
  /** The command could not do its work, or the check failed. Also if a rate limit or a quota is exceeded. */
  failure: 1,
  /** An option or argument is invalid. */
  usage: 2,
  /** The server requires authorization that the command does not have. */
  unauthorized: 3,
  /** The server cannot be reached or started. */
  unreachable: 4,
  /** The tool returned an error. */
  toolError: 5,
  /** A policy, a lock or a missing approval does not allow it. */
  refused: 6,
  /** The definitions of a server differ from the lock file, or from a file of types. */
  drift: 7,
  /** No response arrived in time. */
  timeout: 8,
  /** The server asks a question that is not answered yet. */
  inputRequired: 9,
  /** The user pressed Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The table for help texts. */
export const EXIT_CODES_HELP = `
Exit codes:
  0    success
  1    the command failed, or its check failed; also above a rate limit or quota
  2    unknown command, option or argument
  3    the server requires authorization
  4    the server cannot be reached or started
  5    the tool returned an error
  6    denied by a policy, a lock or a missing approval, here or at a gateway
  7    definitions differ from the lock file, or from a file of types
  8    no response in time
  9    the server asks a question: see \`tenon answer\`
  130  interrupted by Ctrl-C
`;

/** Tells if the data of an error says that the policy of a gateway or server has denied the request. */
export function isPolicyDenial(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'policy' in data && data.policy === 'denied';
}

/** Codes of errors, as beginnings, and the exit codes of a process that ends with them. The first match counts. */
export const errorExitCodes: readonly (readonly [start: string, code: ExitCode])[] = [
  ['cli/usage', exitCodes.usage],
  ['config/not-approved', exitCodes.refused],
  ['config/input', exitCodes.usage],
  ['cli/input-required', exitCodes.inputRequired],
  ['auth/unreachable', exitCodes.unreachable],
  ['auth/timeout', exitCodes.timeout],
  ['auth/', exitCodes.unauthorized],
  ['call/timeout', exitCodes.timeout],
  ['host/start-timeout', exitCodes.timeout],
  ['call/aborted', exitCodes.interrupted],
  ['tool/failed', exitCodes.toolError],
  ['http/unreachable', exitCodes.unreachable],
  ['http/invalid-header', exitCodes.usage],
  ['registry/unreachable', exitCodes.unreachable],
  ['http/interrupted', exitCodes.unreachable],
  ['http/no-endpoint', exitCodes.unreachable],
  ['stdio/spawn', exitCodes.unreachable],
  ['stdio/exited', exitCodes.unreachable],
  ['connect/no-', exitCodes.unreachable],
  ['connection/', exitCodes.unreachable],
  ['peer/no-answer', exitCodes.unreachable],
  ['peer/unreadable', exitCodes.unreachable],
];

/**
 * Returns the exit code for an error. `code` is the one of a `TenonError`, `status` the HTTP status of the response, and
 * `data` the data of a JSON-RPC error.
 */
export function getExitCode({
  code,
  status,
  data,
}: {
  readonly code: string;
  readonly status?: number | undefined;
  readonly data?: unknown;
}): ExitCode {
  if (isPolicyDenial(data)) return exitCodes.refused;
  if (status === 401 || status === 403) return exitCodes.unauthorized;
  return errorExitCodes.find(([start]) => code.startsWith(start))?.[1] ?? exitCodes.failure;
}
