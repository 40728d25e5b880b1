import { type Client, TenonError } from 'tenon';
import { runOutsideCalls } from './message-owner.js';

/** Options of `watchLists`. */
interface ListWatchOptions {
  /** Ends the subscriptions. */
  readonly signal: AbortSignal;
  /** Called when the server is connected again. It may be another process, with other lists. */
  readonly onReconnect: () => void;
  /** Called with the refusal of the server. */
  readonly onError: (error: TenonError) => void;
}

/**
 * Subscribes to changes of the lists that the server declares as changing, because the newest protocol version requires
 * it. The client emits them as `change`. The subscription ends with the connection, so that it starts no process that has
 * ended, and begins again when a call has connected.
 */
export function watchLists(
  client: Pick<Client, 'server' | 'watch' | 'on'>,
  { signal, onReconnect, onError }: ListWatchOptions,
): void {
  const { tools, prompts, resources } = client.server.capabilities;
  const [isTools, isPrompts, isResources] = [tools, prompts, resources].map(each => each?.listChanged === true);
  const lists = { tools: isTools, prompts: isPrompts, resources: isResources };
  if (!Object.values(lists).includes(true)) return;
  let connection = new AbortController();
  const watch = async () => {
    connection = new AbortController();
    const ending = AbortSignal.any([signal, connection.signal]);
    try {
      for await (const _ of client.watch(lists, { signal: ending }));
    } catch (thrown) {
      if (!ending.aborted) onError(TenonError.from(thrown));
    }
  };
  client.on('state', state => {
    if (signal.aborted) return;
    if (state !== 'connected') return connection.abort();
    void runOutsideCalls(watch);
    onReconnect();
  });
  void watch();
}
