import type { Clock } from '../../cancellation/clock.js';
import type { HeldClient, PostgresConnection } from './connection.js';

/** Delay before the first attempt after an error, in milliseconds. Each further one is twice as long. */
const INITIAL_DELAY = 50;
/** Longest delay between two attempts, in milliseconds. */
const MAX_DELAY = 5000;

export interface NotificationListenerOptions {
  readonly clock: Clock;
  readonly channel: string;
  /** Called for the payload of each notification, and without one when the connection is there: some may have been missed. */
  onNotification(payload?: string): void;
  /** Called for the first of several errors in a row. */
  onError(error: unknown): void;
}

/** A connection that listens to a channel. */
export interface NotificationListener {
  /** Connects, and again whenever the connection is lost. */
  start(): void;
  /** The connection that listens. `undefined` while there is none. */
  getClient(): HeldClient | undefined;
  /** Closes a connection that does not answer, and makes another one. */
  reconnect(): void;
  /** Closes the connection. Resolves when none is being opened. */
  stop(): Promise<void>;
}

/** Listens to a channel on a connection of its own, if connections can be kept. */
export function createNotificationListener(
  connection: PostgresConnection,
  { clock, channel, onNotification, onError }: NotificationListenerOptions,
): NotificationListener {
  let isStopped = true;
  let client: HeldClient | undefined;
  let connecting: Promise<void> | undefined;
  let delay = INITIAL_DELAY;
  let cancelTimer = () => {};

  function close(): void {
    client?.close();
    client = undefined;
  }

  function connectLater(): void {
    cancelTimer();
    if (isStopped) return;
    // Processes that failed together do not come back together.
    cancelTimer = clock.after(delay * (0.5 + Math.random() / 2), connectOnce);
    delay = Math.min(2 * delay, MAX_DELAY);
  }

  function connectOnce(): void {
    connecting ??= connect()
      .catch(error => {
        close();
        if (delay === INITIAL_DELAY && !isStopped) onError(error);
        connectLater();
      })
      .finally(() => {
        connecting = undefined;
        if (isStopped) close();
      });
  }

  async function connect(): Promise<void> {
    const opened = await connection.hold(
      ({ payload }) => onNotification(payload),
      error => {
        if (client !== opened) return;
        client = undefined;
        onError(error);
        connectLater();
      },
    );
    client = opened;
    await opened.run(`LISTEN "${channel}"`);
    delay = INITIAL_DELAY;
    onNotification();
  }

  return {
    start() {
      if (!isStopped || !connection.canHold) return;
      isStopped = false;
      connectOnce();
    },
    getClient: () => (connecting ? undefined : client),
    reconnect() {
      close();
      connectLater();
    },
    async stop() {
      isStopped = true;
      cancelTimer();
      if (!connecting) close();
      await connecting;
    },
  };
}
