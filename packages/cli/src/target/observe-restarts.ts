import { type ConnectionState, TenonError } from 'tenon';
import type { ResolvedTarget } from './resolve-target.js';

/** Maximum number of restarts of a process that ends again soon after each of them. */
const MAX_RESTARTS = 4;
/** Duration of a run after which earlier restarts do not count, in milliseconds. */
const LONG_RUN = 30_000;

export interface RestartListeners {
  /** Called when the client is connected again. */
  readonly onReconnected: () => void;
  /** Called when the process of the server has ended too often. */
  readonly onTooMany: (error: TenonError) => void;
}

/**
 * Creates a listener for the state of a connection. A server at a URL may be away for a longer time, but a process that
 * ends again and again does not recover.
 */
export function createRestartObserver(
  { target, label }: ResolvedTarget,
  { onReconnected, onTooMany }: RestartListeners,
  now = () => performance.now(),
): (state: ConnectionState) => void {
  let connectedAt = now();
  let isConnected = true;
  let restarts = 0;
  return state => {
    if (state === 'connected') {
      if (!isConnected) onReconnected();
      isConnected = true;
      connectedAt = now();
      return;
    }
    if (state !== 'failed' && !(state === 'reconnecting' && isConnected)) return;
    restarts = isConnected && now() - connectedAt >= LONG_RUN ? 1 : restarts + 1;
    isConnected = false;
    if (restarts <= MAX_RESTARTS || !('command' in target)) return;
    onTooMany(
      new TenonError('connection/closed', `${label}: the process ended soon after each of ${MAX_RESTARTS} restarts`, {
        hint: 'run `tenon doctor` to see the problem',
      }),
    );
  };
}
