import { type AuthInfo, identifyCaller, type StoredValue, toTypedValues, type Values } from '@tenon/base';
import type { SessionState, SharedStores } from '../../../../protocol/request-handler.js';
import { toSessionTag } from './stored-id.js';

/** State of a session before its `initialize`. */
export const EMPTY_STATE: SessionState = {
  protocolVersion: '',
  client: undefined,
  capabilities: {},
  isInitialized: false,
  subscribedUris: [],
};

/** The stored form of a session. */
export interface SessionRecord {
  /** User and OAuth client that opened the session. Absent for an anonymous caller. */
  readonly owner?: Pick<AuthInfo, 'principal' | 'issuer' | 'clientId'> | undefined;
  readonly state: SessionState;
  /** ID of the process that notifies the client of changes of lists and resources. */
  readonly observer: string;
  /** ID of the process with the standalone stream, and number of the stream. Absent if no such stream is open. */
  readonly listener?: StreamListener | undefined;
  /** Event ID of the last message on a closed standalone stream. */
  readonly delivered?: string | undefined;
}

export interface StreamListener {
  readonly process: string;
  readonly number: string;
  /** True if the client has opened several streams. None of them then ends another. */
  readonly isOneOfSeveral?: boolean;
  /** True if the stream continues the only one on another connection, so that the former connection ends. */
  readonly endsFormer?: boolean;
}

export type StoredRecord = StoredValue<SessionRecord>;

/** The sessions in a store. Each change is a compare-and-set on the version of the record. */
export class SessionRecords {
  readonly #values: Values<SessionRecord>;
  readonly #stores: SharedStores;
  readonly #ttl: number;

  constructor(stores: SharedStores, ttl: number) {
    this.#stores = stores;
    this.#values = toTypedValues<SessionRecord>(stores.values);
    this.#ttl = ttl;
  }

  get(session: string): Promise<StoredRecord | undefined> {
    return this.#values.get(this.#toKey(session));
  }

  /** Writes a new session. Returns its version. */
  create(session: string, record: SessionRecord): Promise<number | undefined> {
    return this.#values.put(this.#toKey(session), record, { version: 0, ttl: this.#ttl });
  }

  /** Changes a session and extends its lifetime. Returns `undefined` if the session no longer exists. */
  async update(
    known: StoredRecord,
    session: string,
    change: (record: SessionRecord) => SessionRecord,
  ): Promise<StoredRecord | undefined> {
    const key = this.#toKey(session);
    for (let stored: StoredRecord | undefined = known; stored !== undefined; stored = await this.#values.get(key)) {
      const value = change(stored.value);
      const version = await this.#values.put(key, value, { version: stored.version, ttl: this.#ttl });
      if (version !== undefined) return { key, value, version };
    }
    return undefined;
  }

  /** Deletes a session with everything that is stored for it. */
  async delete(session: string): Promise<void> {
    const key = this.#toKey(session);
    await this.#values.delete(key);
    for (;;) {
      const rest = await this.#values.list(`${key}/`);
      if (rest.length === 0) return;
      await Promise.all(rest.map(each => this.#values.delete(each.key)));
    }
  }

  #toKey(session: string): string {
    return toSessionKey(this.#stores, session);
  }
}

/** Returns the key of a session, which is also the prefix of the keys of its streams. */
export function toSessionKey({ scope }: SharedStores, session: string): string {
  return `session/${scope}/${toSessionTag(session)}`;
}

/** Returns the prefix of the keys of a log of a session. */
export function toLogPrefix(stores: SharedStores, session: string, log: string): string {
  return `${toSessionKey(stores, session)}/${log}/`;
}

/** Returns the identity of a caller for the record, without its token and claims. */
export function toRecordOwner(auth: AuthInfo | undefined): SessionRecord['owner'] {
  const { principal, ...rest } = identifyCaller(auth);
  return principal === undefined ? undefined : { principal, ...rest };
}
