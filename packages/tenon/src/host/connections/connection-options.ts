import type { Clock } from '../../cancellation/clock.js';
import type { Client } from '../../client/client.js';
import type { ClientOptions } from '../../client/options.js';
import type { TenonError } from '../../jsonrpc/error.js';
import type { Root } from '../../protocol/content.js';
import type { QuestionHandler } from '../security/guard/host-guard.js';
import type { ProcessLimit } from './process-limit.js';
import type { UpstreamConnection } from './upstream-connection.js';

/** Options of a connection to one server. */
export interface ConnectionOptions {
  readonly server: string;
  /** Opens a client to it. */
  readonly connect: (options: ClientOptions) => Promise<Client>;
  /** True if its annotations are trusted. */
  readonly trusted: boolean;
  readonly startTimeout: number;
  readonly idleTimeout?: number | undefined;
  readonly totalTimeout?: number | undefined;
  /** Time for a caller that answers by a retry, in milliseconds: later its state is no longer valid. */
  readonly retryTimeout: number;
  /** The roots that this server may know, where they are its own. */
  readonly roots?: readonly Root[] | undefined;
  /** Creates the handler of the server's requests. */
  readonly createQuestionHandler: (connection: UpstreamConnection) => QuestionHandler;
  /** True if the host answers sampling for callers without a model. */
  readonly hasBroker: boolean;
  readonly identity: Pick<ClientOptions, 'name' | 'version' | 'title'>;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
  /** Bounds the processes of all servers; absent where connecting starts none. */
  readonly processes?: ProcessLimit | undefined;
}
