import type { Clock } from '../../cancellation/clock.js';
import type { AbortSignalLike } from '../../cancellation/lazy-abort-signal.js';
import { runWithTimeout } from '../../cancellation/run-with-timeout.js';
import { TenonError } from '../../jsonrpc/error.js';
import { importDriver } from '../remote/import-driver.js';
import { createOnce } from '../remote/once.js';
import { createUnavailableError } from '../remote/unavailable.js';
import { createPoolExhaustedError, isConflict } from './errors.js';

/** The part of a pool of `pg` that is used. */
export interface PostgresPool {
  /** Returns a connected client, which nobody else uses until it is released. */
  connect(): Promise<PostgresClient>;
  /** Number of connections, those that are in use included. */
  readonly totalCount?: number | undefined;
  /** Number of connections that nobody uses. */
  readonly idleCount?: number | undefined;
  /** Settings of the pool. */
  readonly options?: { readonly max?: number | undefined } | undefined;
}

/** The part of a client of a pool of `pg` that is used. */
export interface PostgresClient {
  /** Runs a statement. */
  query(statement: PostgresStatement): Promise<{ readonly rows: readonly unknown[] }>;
  /** Adds a listener to errors of the connection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Adds a listener to notifications. */
  on(event: 'notification', listener: (notification: PostgresNotification) => void): unknown;
  /** Adds a listener to the end of the connection. */
  on(event: 'end', listener: () => void): unknown;
  /** Removes a listener. */
  removeListener(event: string, listener: (error: Error) => void): unknown;
  /** Returns it to the pool, or closes the connection. */
  release(destroy?: boolean): void;
  /** Lets the process end while the client is connected. */
  readonly unref?: (() => void) | undefined;
  /** Keeps the process alive while the client is connected. */
  readonly ref?: (() => void) | undefined;
}

/** A notification as `pg` gives it. */
export interface PostgresNotification {
  /** Text of the notification. */
  readonly payload?: string | undefined;
}

/** A statement as `pg` takes it. */
export interface PostgresStatement {
  /** The statement. `$1` is the first parameter. */
  text: string;
  /** Parameters. */
  values?: unknown[];
  /** Name under which the statement is prepared. Absent: it is not. */
  name?: string;
  /** Converts results from their text. */
  types?: { getTypeParser(): (text: string) => string };
}

/** Columns by name, as text. */
export type PostgresRow = Readonly<Record<string, string | null>>;
/** Runs a statement. One with a name is prepared once for each connection. */
export type RunStatement = (text: string, values?: unknown[], name?: string) => Promise<readonly PostgresRow[]>;

/** A client that is kept for a time. */
export interface HeldClient {
  readonly run: RunStatement;
  /** Closes the connection. */
  close(): void;
}

/** The connections to one database. */
export interface PostgresConnection {
  /** Runs work on a connection of its own. After an error or the timeout the connection is closed. */
  use<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
  /** Opens a connection that is kept. `onLost` is called once, when it ends by itself. It keeps no process alive. */
  hold(
    onNotification: (notification: PostgresNotification) => void,
    onLost: (error: unknown) => void,
  ): Promise<HeldClient>;
  /** True if a connection can be kept while others are used. */
  readonly canHold: boolean;
  /** The error of a call that was not answered in time. */
  createTimeoutError(): TenonError;
  /** Ends the connections that were opened here. */
  close(): Promise<void>;
}

export interface PostgresConnectionOptions {
  readonly clock: Clock;
  /** Time for a piece of work, in milliseconds. */
  readonly timeout: number;
  /** Name of the server, for errors. */
  readonly server: string;
  /** A connection pooler gives each transaction another connection. */
  readonly transactionPooling: boolean;
}

// Values are left as the text that the server sends: an application may have changed how its `pg` reads them.
const TYPES = { getTypeParser: () => (text: string) => text };

/** Uses a pool. `end` closes it, if it was opened here. */
export function createConnection(
  pool: PostgresPool,
  options: PostgresConnectionOptions,
  end: () => Promise<unknown> = async () => {},
): PostgresConnection {
  const { clock, timeout, server, transactionPooling } = options;
  const max = pool.options?.max ?? Number.POSITIVE_INFINITY;

  /** Number of attempts to get a connection that wait for one. */
  let connecting = 0;

  async function checkOut(signal: AbortSignalLike, onError?: (error: unknown) => void): Promise<CheckedOutClient> {
    connecting++;
    const client = await pool.connect().finally(() => connecting--);
    return guardClient(client, signal, onError);
  }

  function createTimeoutError(): TenonError {
    const isExhausted = connecting > 0 && pool.idleCount === 0 && (pool.totalCount ?? 0) >= max;
    return isExhausted ? createPoolExhaustedError(server, max) : createUnavailableError(server);
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
      // Until the timeout, which closes the connection.
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
        // Without effect after a release.
        client.destroy();
      }
    });

  const hold: PostgresConnection['hold'] = async (onNotification, onLost) => {
    let isOpen = true;
    const endOnce = (error?: unknown) => {
      if (!isOpen) return;
      isOpen = false;
      held.destroy();
      onLost(error);
    };
    const held = await runInTime(signal => checkOut(signal, endOnce));
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

/** Guards a client of a pool until it is released or destroyed, which has an effect once. */
function guardClient(
  client: PostgresClient,
  signal: AbortSignalLike,
  onError: (error: unknown) => void = () => {},
): CheckedOutClient {
  let isOut = true;
  const giveBack = (destroy: boolean) => {
    if (!isOut) return;
    isOut = false;
    client.release(destroy);
    // The pool listens from here on.
    client.removeListener('error', onError);
  };
  // An error that nobody listens to would end the process. A statement that is running fails with it too.
  client.on('error', onError);
  if (signal.aborted) {
    giveBack(false);
    throw signal.reason;
  }
  return { client, release: () => giveBack(false), destroy: () => giveBack(true) };
}

// Named by a variable, so that neither a bundler nor the types of other platforms need it.
const PG: string = 'pg';

interface PostgresLibrary {
  readonly Pool: new (settings: Readonly<Record<string, unknown>>) => OwnPool;
}

interface OwnPool extends PostgresPool {
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<unknown>;
}

/** Opens a pool of `pg` for a URL when it is first used. */
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
    const pool = new library.Pool({
      connectionString: url,
      application_name: 'tenon',
      max: maxConnections,
      connectionTimeoutMillis: timeout,
      keepAlive: true,
      allowExitOnIdle: true,
      // The server ends a statement that waits for a lock when nobody waits for the statement any longer. Poolers refuse
      // settings at the beginning of a connection.
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
