/** The part of an SQLite library that is used, with the interface of better-sqlite3, as libsql has it. */
export interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): unknown;
}

interface Statement {
  all(parameters: readonly Parameter[]): unknown[];
}

export type Parameter = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/**
 * Prepares a statement, those that write and return something as well. Only `all` takes it to its end: a `get` stops at
 * the first row, and then an error of the commit is lost, and the write-ahead log is never folded into the file.
 */
export function prepareStatement(database: Database, sql: string): (...parameters: Parameter[]) => Row[] {
  const statement = database.prepare(sql);
  return (...parameters) => statement.all(parameters) as Row[];
}

/** The one value that a statement without parameters gives. */
export function readScalar(database: Database, sql: string): unknown {
  return Object.values(prepareStatement(database, sql)()[0] ?? {})[0];
}

/** Undoes a transaction. Some errors have undone it already. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // No transaction is open any longer.
  }
}
