import { TenonError } from '@tenon/base';
import { createUnavailableError } from '../remote/unavailable.js';

/** Replies of a server that cannot serve requests now: it starts, lost its role, waits for other servers, or cannot write to its disk. */
const UNAVAILABLE =
  /^(READONLY|LOADING|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|MISCONF|TRYAGAIN|BUSY|UNKILLABLE|ERR max number of clients)\b/;
/** Replies begin with a code. Errors of the connection do not. */
const REPLY = /^[A-Z]{2,} /;

/** Converts an error of a Redis client. The new error contains no keys and no values. */
export function toRedisError(error: unknown, server: string): TenonError {
  if (TenonError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('OOM ')) {
    const hint = 'raise `maxmemory` of Redis, or delete what is not needed';
    return new TenonError('store/full', `${server}: no memory left`, { hint, cause: error });
  }
  const [unavailable] = UNAVAILABLE.exec(message) ?? [];
  if (REPLY.test(message) && unavailable === undefined) {
    const hint = 'check the user, its permissions, the database and the version of Redis (7.0 or later)';
    return new TenonError('store/failed', `${server}: refused with ${message.split(' ')[0]}`, { hint, cause: error });
  }
  return createUnavailableError(server, error, unavailable);
}
