import { AsyncLocalStorage } from 'node:async_hooks';
import type { MaybePromise } from '@tenon/base';

/** A connection of the console to its own gateway. */
interface OwnConnection {
  /** Number of the connection in the log. `undefined`: its messages are not logged. */
  readonly connection: number | undefined;
}

/** A request that is served. Timers and connections that outlive it keep its context. */
interface ServedRequest {
  readonly seq: number | undefined;
  isOpen: boolean;
}

const ownConnection = new AsyncLocalStorage<OwnConnection>();
const servedRequest = new AsyncLocalStorage<ServedRequest>();

/** Opens a connection of the console, so that a gateway in this process does not log its messages a second time. */
export const runAsConsole = <T>(connection: number | undefined, open: () => Promise<T>): Promise<T> =>
  ownConnection.run({ connection }, open);

/** Returns the connection of the console for which code runs. */
export const getOwnConnection = (): OwnConnection | undefined => ownConnection.getStore();

/** Serves a request of the log, so that all that is sent until the response is known to belong to it. */
export function runServing<T>(seq: number | undefined, serve: () => MaybePromise<T>): MaybePromise<T> {
  const served: ServedRequest = { seq, isOpen: true };
  const end = () => {
    served.isOpen = false;
  };
  return servedRequest.run(served, () => {
    try {
      const response = serve();
      if (!(response instanceof Promise)) {
        end();
        return response;
      }
      return response.finally(end);
    } catch (error) {
      end();
      throw error;
    }
  });
}

/** Returns the `seq` of the request for which code runs. */
export function getServedRequest(): number | undefined {
  const served = servedRequest.getStore();
  return served?.isOpen ? served.seq : undefined;
}
