import { type AuthInfo, isSameOwner, type PeriodicRun, runPeriodically, toTypedValues } from '@tenon/base';
import type { SharedStores } from '../../protocol/request-handler.js';
import type { HttpServerContext } from '../http/server/context.js';
import { type ForwardedMessage, ServerReplica } from '../http/server/stored-sessions/server-replica.js';
import { type SessionRecord, toRecordOwner } from '../http/server/stored-sessions/session-record.js';
import { toSessionTag } from '../http/server/stored-sessions/stored-id.js';

/** The process at which a client holds its stream. */
interface StreamRecord extends Pick<SessionRecord, 'owner'> {
  readonly process: string;
}

/**
 * The streams of all processes. A stream stays with its process: messages that a client POSTs to another process are
 * passed to that one.
 */
export class SharedStreams {
  readonly #stores: SharedStores;
  readonly #context: HttpServerContext;
  readonly #replica: ServerReplica;
  /** Renewals of the records of the streams of this process, by the IDs of the streams. */
  readonly #renewals = new Map<string, PeriodicRun>();

  constructor(stores: SharedStores, context: HttpServerContext, onMessage: (forwarded: ForwardedMessage) => void) {
    this.#stores = { ...stores, scope: `${stores.scope}.sse` };
    this.#context = context;
    const ignore = () => {};
    this.#replica = new ServerReplica(this.#stores, context.clock, {
      onMessage,
      onSessionChange: ignore,
      onStreamResumed: ignore,
      report: context.report,
    });
  }

  /** Makes a stream of this process known to the others. */
  async add(id: string, auth: AuthInfo | undefined): Promise<void> {
    await this.#replica.join();
    const { clock, limits, report } = this.#context;
    const ttl = limits.sessionIdleTimeout;
    const record = { owner: toRecordOwner(auth), process: this.#replica.id };
    const write = async () => void (await this.#values.put(this.#toKey(id), record, { ttl }));
    this.#renewals.set(id, runPeriodically({ clock, interval: ttl / 3, onError: report }, write));
    await write();
  }

  remove(id: string): void {
    void this.#renewals.get(id)?.stop();
    if (this.#renewals.delete(id)) this.#stores.values.delete(this.#toKey(id)).catch(this.#context.report);
  }

  /** Passes a message to the process that holds the stream. Returns false when there is no such stream. */
  async forward(id: string, message: unknown, auth: AuthInfo | undefined): Promise<boolean> {
    if (!STREAM_ID.test(id)) return false;
    const stored = await this.#values.get(this.#toKey(id));
    if (stored === undefined || !isSameOwner(stored.value.owner, auth)) return false;
    const { process } = stored.value;
    if (!(await this.#replica.isRunning(process))) return false;
    await this.#replica.forward({ session: id, message, auth }, process);
    return true;
  }

  close(): Promise<void> {
    return this.#replica.close();
  }

  get #values() {
    return toTypedValues<StreamRecord>(this.#stores.values);
  }

  #toKey(id: string): string {
    return `stream/${this.#stores.scope}/${toSessionTag(id)}`;
  }
}

/** Ids of streams are random UUIDs. */
const STREAM_ID = /^[0-9a-f-]{36}$/;
