import { type AbortSignalLike, type Clock, runWithTimeout, TenonError } from '@tenon/base';
import { importDriver } from '../remote/import-driver.js';
import { createOnce } from '../remote/once.js';
import { createUnavailableError } from '../remote/unavailable.js';
import { isConflict } from './errors.js';

/** The part of a pool of `pg` that the library uses. */
export interface PostgresPool {
  /**
   * Calls back with a connected client, or with an error. No other code uses the client until it is released. A pool that
   * only returns a promise is not sufficient: the connection may fail before the promise calls its listeners.
   */
  connect(onConnected: (error: Error | undefined, client: PostgresClient | undefined) => void): void;
  /** Number of connections, including those in use. */
  readonly totalCount?: number | undefined;
  /** Number of idle connections. */
  readonly idleCount?: number | undefined;
  /** Settings of the pool. */
  readonly options?: { readonly max?: number | undefined } | undefined;
}

/** The part of a client of a `pg` pool that the library uses. */
export interface PostgresClient {
  /** Runs a statement. */
  query(statement: PostgresStatement): Promise<{ readonly rows: readonly unknown[] }>;
  /** Adds a listener for errors of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Adds a listener for notifications. */
  on(event: 'notification', listener: (notification: PostgresNotification) => void): unknown;
  /** Adds a listener for the end of the connection. */
  on(event: 'end', listener: () => void): unknown;
  /** Removes a listener of any event. */
  removeListener(event: string, listener: (error: Error) => void): unknown;
  /** Returns the client to the pool, or closes its connection. */
  release(destroy?: boolean): void;
  /** Lets the process exit while the client is connected. */
  readonly unref?: (() => void) | undefined;
  /** Keeps the process alive while the client is connected. */
  readonly ref?: (() => void) | undefined;
}

/** A notification of `pg`. */
export interface PostgresNotification {
  /** Text of the notification. */
  readonly payload?: string | undefined;
}

/** A statement for `pg`. */
export interface PostgresStatement {
  /** The statement. `$1` is the first parameter. */
  text: string;
  /** Parameters of the statement. */
  values?: unknown[];
  /** Name of the prepared statement. Absent: the statement is not prepared. */
  name?: string;
  /** Converts results from their text. */
  types?: { getTypeParser(): (text: string) => string };
}

/** Columns by name, as text. */
export type PostgresRow = Readonly<Record<string, string | null>>;
/** Runs a statement. A statement with a name is prepared once for each connection. */
export type RunStatement = (text: string, values?: unknown[], name?: string) => Promise<readonly PostgresRow[]>;

/** A client that is kept until it is closed. */
export interface HeldClient {
  readonly run: RunStatement;
  /** Closes the connection. */
  close(): void;
}

/** The connections to one database. */
export interface PostgresConnection {
  /** Runs work on its own connection. After an error or the timeout the connection is closed. */
  use<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
  /**
   * Opens a connection that is kept. `onLost` is called once if the connection is lost after this has resolved. The connection does not keep
   * the process alive.
   */
  hold(
    onNotification: (notification: PostgresNotification) => void,
    onLost: (error: unknown) => void,
  ): Promise<HeldClient>;
  /** True if one connection can be kept while others are used. */
  readonly canHold: boolean;
  /** Creates the error of a call without a timely response. */
  createTimeoutError(): TenonError;
  /** Closes the connections that this object opened. */
  close(): Promise<void>;
}

export interface PostgresConnectionOptions {
  readonly clock: Clock;
  /** Maximum time for the work on one connection, in milliseconds. */
  readonly timeout: number;
  /** Name of the server in errors. */
  readonly server: string;
  /** True if a connection pooler may use another connection for each transaction. */
  readonly transactionPooling: boolean;
}

// Values stay as the text that the server sends, because an application may have changed the type parsers of its `pg`.
const TYPES = { getTypeParser: () => (text: string) => text };

/** Creates the connections of a pool. `end` closes the pool. Absent: the application closes it. */
export function createConnection(
  pool: PostgresPool,
  options: PostgresConnectionOptions,
  end: () => Promise<unknown> = async () => {},
): PostgresConnection {
  const { clock, timeout, server, transactionPooling } = options;
  const max = pool.options?.max ?? Number.POSITIVE_INFINITY;

  /** Number of attempts that wait for a connection. */
  let connecting = 0;

  async function checkOut(signal: AbortSignalLike, onError?: (error: unknown) => void): Promise<CheckedOutClient> {
    connecting++;
    const connected = new Promise<CheckedOutClient>((resolve, reject) => {
      pool.connect((error, opened) => {
        if (opened === undefined) reject(error);
        // The client has a listener for its errors from the first moment.
        else resolve(guardClient(opened, onError));
      });
    });
    const client = await connected.finally(() => connecting--);
    if (!signal.aborted) return client;
    client.release();
    throw signal.reason;
  }

  function createTimeoutError(): TenonError {
    const isExhausted = connecting > 0 && pool.idleCount === 0 && (pool.totalCount ?? 0) >= max;
    if (!isExhausted) return createUnavailableError(server);
    return new TenonError('store/unavailable', `${server}: not available`, {
      expected: 'a free connection in the pool',
      received: `${max} in use`,
      hint: 'raise `max` of the pool, and release connections that are not needed',
    });
  }

  function runInTime<T>(work: (signal: AbortSignalLike) => Promise<T>): Promise<T> {
    const onTimeout = () => {
      throw createTimeoutError();
    };
    return runWithTimeout(work, { clock, timeout, onTimeout });
  }

  const createRunner =
    (client: PostgresClient): RunStatement =>
    async (text, values, name) => {
      const statement: PostgresStatement = { text, types: TYPES };
      if (values !== undefined) statement.values = values;
      if (name !== undefined && !transactionPooling) statement.name = name;
      // The work runs until the timeout, which closes the connection.
      for (;;) {
        try {
          return (await client.query(statement)).rows as readonly PostgresRow[];
        } catch (error) {
          if (!isConflict(error)) throw error;
        }
      }
    };

  const use: PostgresConnection['use'] = work =>
    runInTime(async signal => {
      const client = await checkOut(signal);
      signal.addEventListener('abort', client.destroy);
      try {
        const result = await work(createRunner(client.client));
        client.release();
        return result;
      } finally {
        // A second call has no effect.
        client.destroy();
      }
    });

  const hold: PostgresConnection['hold'] = async (onNotification, onLost) => {
    let isOpen = true;
    let lostEarly: { readonly error: unknown } | undefined;
    let onError = (error: unknown): void => {
      lostEarly ??= { error };
    };
    const held = await runInTime(signal => checkOut(signal, error => onError(error)));
    if (lostEarly) {
      held.destroy();
      throw lostEarly.error;
    }
    const endOnce = (error?: unknown) => {
      if (!isOpen) return;
      isOpen = false;
      held.destroy();
      onLost(error);
    };
    onError = endOnce;
    const { client } = held;
    client.on('notification', onNotification);
    client.on('end', () => endOnce());
    client.unref?.();
    const run = createRunner(client);
    return {
      run: (...statement) =>
        runInTime(() => {
          client.ref?.();
          return run(...statement).finally(() => client.unref?.());
        }),
      close() {
        isOpen = false;
        held.destroy();
      },
    };
  };

  return {
    use,
    hold,
    canHold: !transactionPooling && max > 1,
    createTimeoutError,
    close: async () => void (await end()),
  };
}

interface CheckedOutClient {
  readonly client: PostgresClient;
  release(): void;
  destroy(): void;
}

/** Guards a client of a pool until it is released or destroyed. Only the first of these calls has an effect. */
function guardClient(client: PostgresClient, onError: (error: unknown) => void = () => {}): CheckedOutClient {
  let isOut = true;
  const giveBack = (destroy: boolean) => {
    if (!isOut) return;
    isOut = false;
    client.release(destroy);
    // The pool handles errors from here on.
    client.removeListener('error', onError);
  };
  // An error without a listener would end the process. It also rejects the running statement.
  client.on('error', onError);
  return { client, release: () => giveBack(false), destroy: () => giveBack(true) };
}

// The package name is in a variable, so that bundlers and the type check of other platforms do not need the package.
const PG: string = 'pg';

type OwnPoolConstructor = new (settings: Readonly<Record<string, unknown>>) => OwnPool;

/** The package as a module. Older versions have a default export only. */
interface PostgresLibrary {
  readonly Pool?: OwnPoolConstructor;
  readonly default: { readonly Pool: OwnPoolConstructor };
}

interface OwnPool extends PostgresPool {
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<unknown>;
}

/** Opens a pool of `pg` for a URL on first use. */
export function openPostgresUrl(
  url: string,
  {
    maxConnections,
    onError,
    ...options
  }: PostgresConnectionOptions & { maxConnections: number; onError(error: unknown): void },
): PostgresConnection {
  const { timeout, transactionPooling } = options;
  let connection: PostgresConnection | undefined;
  const opened = createOnce(async () => {
    const library = await importDriver<PostgresLibrary>(PG);
    if (library === undefined) {
      const hint = 'run `npm install pg`';
      throw new TenonError('store/no-driver', 'the Postgres client `pg` is not installed', { hint });
    }
    const Pool = library.Pool ?? library.default.Pool;
    const pool = new Pool({
      connectionString: url,
      application_name: 'tenon',
      max: maxConnections,
      connectionTimeoutMillis: timeout,
      keepAlive: true,
      allowExitOnIdle: true,
      // The server ends a statement that waits for a lock after its caller has given up. Poolers reject settings at the
      // start of a connection.
      ...(transactionPooling ? {} : { statement_timeout: timeout }),
    });
    pool.on('error', onError);
    connection = createConnection(pool, options, () => pool.end());
    return connection;
  });
  return {
    use: async work => (await opened.get()).use(work),
    hold: async (onNotification, onLost) => (await opened.get()).hold(onNotification, onLost),
    canHold: !transactionPooling && maxConnections > 1,
    createTimeoutError: () => connection?.createTimeoutError() ?? createUnavailableError(options.server),
    close: async () => (await opened.peek())?.close(),
  };
}
