import { isObject, type JsonObject, TenonError } from '@tenon/base';

/** The channel between this process and another one. */
export interface ProcessChannel<Sent, Received> {
  /** Sends a message. Messages arrive in their order. */
  send(message: Sent): void;
  /** Calls the listener for each later message. Returns a function that removes the listener. */
  onMessage(listener: (message: Received) => void): () => void;
}

/** The channel between the primary process and one worker. */
export type WorkerChannel = ProcessChannel<WorkerMessage, WorkerMessage>;

/** Operations of stores that a worker requests of the primary process. */
export type StoreOperation = 'get' | 'put' | 'delete' | 'list' | 'publish' | 'subscribe' | 'unsubscribe';

/** An error as it crosses the channel. */
export type SentError = Pick<TenonError, 'code' | 'summary'> &
  Partial<Pick<TenonError, 'expected' | 'received' | 'hint'>>;

/** Message between the primary process and a worker. The member `tenon` separates it from messages of the program. */
export type WorkerMessage =
  | { readonly tenon: 'request'; readonly id: number; readonly operation: StoreOperation; readonly args: unknown[] }
  | { readonly tenon: 'response'; readonly id: number; readonly result?: unknown; readonly error?: SentError }
  | { readonly tenon: 'published'; readonly subscription: number; readonly message: JsonObject }
  | { readonly tenon: 'listening'; readonly url: string; readonly sseUrl: string | undefined; readonly port: number }
  | { readonly tenon: 'failed'; readonly error: SentError }
  | { readonly tenon: 'close'; readonly timeout: number | undefined; readonly delay: number }
  | { readonly tenon: 'closed' };

/** A process that sends and receives messages: this one with a parent, or a child of it. */
export interface MessagingProcess {
  readonly connected: boolean;
  send?(message: unknown, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
}

/** Creates the channel to a process for the messages of workers. */
export const createWorkerChannel = (other: MessagingProcess): WorkerChannel => createProcessChannel(other, 'tenon');

/**
 * Creates the channel to a process for the messages with the text member `kind`, which separates them from messages of
 * the program. A message to a process that has ended is dropped: its end is reported elsewhere.
 */
export function createProcessChannel<Sent, Received>(
  other: MessagingProcess,
  kind: string & keyof Sent & keyof Received,
): ProcessChannel<Sent, Received> {
  return {
    send(message) {
      if (other.connected) other.send?.(message, () => {});
    },
    onMessage(listener) {
      const filter = (message: unknown) => {
        if (isObject(message) && typeof message[kind] === 'string') listener(message as Received);
      };
      other.on('message', filter);
      return () => other.off('message', filter);
    },
  };
}

export function toSentError(error: unknown): SentError {
  const { code, summary, expected, received, hint } = TenonError.from(error);
  return { code, summary, expected, received, hint } as SentError;
}

export function fromSentError({ code, summary, ...details }: SentError): TenonError {
  return new TenonError(code, summary, details);
}
