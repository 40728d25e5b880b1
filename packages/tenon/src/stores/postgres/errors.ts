import { TenonError } from '@tenon/base';
import { createUnavailableError } from '../remote/unavailable.js';

/**
 * SQLSTATE codes of a server that cannot serve requests now. The connection is lost, the server starts or stops, or it
 * is a standby. Or it has no connection, memory or time left, or other sessions hold a lock.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE = /^(08(?!P01)|57P0[1235]|57014|53|25006|40|55P03|58030)/;
/** SQLSTATE code of a full disk. */
const FULL = '53100';
/** SQLSTATE codes of a conflict with another session. The statement had no effect. */
const CONFLICT = /^(40001|40P01)$/;
/**
 * SQLSTATE codes that show a connection pooler: a prepared statement is missing or exists twice, or a setting is
 * unknown.
 */
const POOLER = /^(26000|42P05|08P01)$/;

/** Returns the SQLSTATE code of a server error, or `undefined` for an error of the connection. */
function getSqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

/** Tells if the statement had no effect and can be repeated. */
export const isConflict = (error: unknown): boolean => CONFLICT.test(getSqlState(error) ?? '');

/** Converts an error of `pg`. The new error contains no keys and no values. */
export function toPostgresError(error: unknown, server: string): TenonError {
  if (TenonError.is(error)) return error;
  const state = getSqlState(error);
  if (state === FULL) {
    const hint = 'free space on the disk of Postgres, or delete what is not needed';
    return new TenonError('store/full', `${server}: no space left`, { hint, cause: error });
  }
  // The driver gives this error no code.
  if (error instanceof Error && error.message.includes('not support SSL')) {
    const hint = 'enable TLS in Postgres, or remove `sslmode` from the URL if the network is private';
    return new TenonError('store/failed', `${server}: the server does not support TLS`, { hint, cause: error });
  }
  if (state === undefined || UNAVAILABLE.test(state)) return createUnavailableError(server, error);
  const hint = POOLER.test(state)
    ? 'set `transactionPooling: true` if a connection pooler is in front of Postgres'
    : 'check the user, its permissions, the database and the version of Postgres (13 or later)';
  return new TenonError('store/failed', `${server}: refused with SQLSTATE ${state}`, { hint, cause: error });
}

/** Creates the error of a read on a standby, which may return outdated data. */
export function createStandbyError(server: string): TenonError {
  const hint = 'connect to the primary server; the client reconnects by itself';
  return new TenonError('store/unavailable', `${server}: a standby, which cannot take writes`, { hint });
}
