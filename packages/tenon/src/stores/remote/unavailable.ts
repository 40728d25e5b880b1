import { TenonError } from '@tenon/base';

/** Creates the error of a database that does not respond. The call may have taken effect. */
export function createUnavailableError(server: string, cause?: unknown): TenonError {
  const hint = 'check that the store runs and can be reached; the client reconnects by itself';
  const received = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return new TenonError('store/unavailable', `${server}: not available`, { received, hint, cause });
}
