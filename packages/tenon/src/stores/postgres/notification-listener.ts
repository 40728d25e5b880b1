import type { Clock } from '@tenon/base';
import type { HeldClient, PostgresConnection } from './connection.js';

/** Delay before the first attempt after an error, in milliseconds. Each further delay is twice as long. */
const INITIAL_DELAY = 50;
/** Maximum delay between two attempts, in milliseconds. */
const MAX_DELAY = 5000;

export interface NotificationListenerOptions {
  readonly clock: Clock;
  readonly channel: string;
  /**
   * Called with the payload of each notification. Called without one after each connect, because notifications may have
   * been missed.
   */
  onNotification(payload?: string): void;
  /** Called for the first of several consecutive errors. */
  onError(error: unknown): void;
}

/** A connection that listens to a channel. */
export interface NotificationListener {
  /** Connects, and reconnects when the connection is lost. */
  start(): void;
  /** Returns the listening connection, or `undefined` if there is none. */
  getClient(): HeldClient | undefined;
  /** Closes a connection that does not respond, and opens another one. */
  reconnect(): void;
  /** Closes the connection. Resolves when no connection is being opened. */
  stop(): Promise<void>;
}

/** Creates a listener for a channel on its own connection, if connections can be kept. */
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
    // A random delay keeps processes that failed together from retrying together.
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
