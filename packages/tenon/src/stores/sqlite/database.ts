/** The part of an SQLite library that the stores use: the interface of better-sqlite3, which libsql also has. */
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
 * Prepares a statement, which may write and return rows. It runs with `all`, because `get` stops at the first row. An
 * error of the commit would then be lost, and the write-ahead log would never be merged into the file.
 */
/** Runs one of the given statements. Each is prepared when it runs for the first time. */
export function createStatementRunner<Name extends string>(
  database: Database,
  statements: Readonly<Record<Name, string>>,
): (name: Name, ...parameters: Parameter[]) => Row[] {
  const prepared = new Map<Name, (...parameters: Parameter[]) => Row[]>();
  return (name, ...parameters) => {
    const statement = prepared.get(name) ?? prepareStatement(database, statements[name]);
    prepared.set(name, statement);
    return statement(...parameters);
  };
}

export function prepareStatement(database: Database, sql: string): (...parameters: Parameter[]) => Row[] {
  const statement = database.prepare(sql);
  return (...parameters) => statement.all(parameters) as Row[];
}

/** Returns the single value of a statement without parameters. */
export function readScalar(database: Database, sql: string): unknown {
  return Object.values(prepareStatement(database, sql)()[0] ?? {})[0];
}

/** Rolls back a transaction, unless an error has already ended it. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The transaction has already ended.
  }
}
