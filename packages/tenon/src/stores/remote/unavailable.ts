import { TenonError } from '@tenon/base';

/**
 * Creates the error of a database that does not respond. The call may have taken effect.
 *
 * @param reply Beginning of its response, if it has refused the call.
 */
export function createUnavailableError(server: string, cause?: unknown, reply?: string): TenonError {
  const hint = 'check that the store runs and can be reached; the client reconnects by itself';
  const received = reply ?? (cause instanceof Error && 'code' in cause ? String(cause.code) : undefined);
  return new TenonError('store/unavailable', `${server}: not available`, { received, hint, cause });
}
