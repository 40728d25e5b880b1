import {
  createCausedError,
  EXECUTED,
  hasExecuted,
  INTERNAL_ERROR,
  isObject,
  type TenonError,
  UNKNOWN_OUTCOME,
} from '@tenon/base';
import { isReadOnly, mayHaveExecuted } from 'tenon/host-internals';
import { describePublicly } from '../connections/public-error-text.js';
import { adviseAssuming } from '../connections/undeclared-capabilities.js';

/**
 * Creates the error for a server that did not respond, without private details of the host. A failure of the host's own
 * store stays unchanged, unless the server may have executed the request: the caller can send it again.
 */
export function createUnansweredError(error: TenonError, server: string, method: string, wasSent = true): TenonError {
  const { code } = error;
  const isOpen = wasSent && !isReadOnly(method) && mayHaveExecuted(error);
  if (code.startsWith('store/') && !isOpen) return error;
  if (hasExecuted(error.data)) {
    const summary = `The server "${server}" has carried out ${method}, and its result was refused (${code}: ${describePublicly(error)}).`;
    const data = { server, code, ...EXECUTED };
    return createCausedError(error, INTERNAL_ERROR, `${summary} Do not send the request again.`, data);
  }
  const assumed = code === 'call/not-offered' && isObject(error.data) ? adviseAssuming(error.data.capability) : '';
  const mayHaveRun = isOpen ? ' It may have been carried out.' : '';
  const reason = code.startsWith('call/not-')
    ? `does not offer ${method}${assumed === '' ? '' : `. ${assumed}`}`
    : `did not respond correctly to ${method} (${code}: ${describePublicly(error)}).${mayHaveRun}`;
  const { retryAfterMs } = error;
  const isDelayed = retryAfterMs !== undefined && !isOpen;
  const summary = `The server "${server}" ${reason}${isDelayed ? ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.` : ''}`;
  const added = isOpen ? UNKNOWN_OUTCOME : isDelayed ? { retryAfterMs } : {};
  return createCausedError(error, INTERNAL_ERROR, summary, { server, code, ...added });
}
