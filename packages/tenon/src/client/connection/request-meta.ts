import type { JsonObject } from '@tenon/base';
import type { Id } from '../../jsonrpc/message.js';
import type { LoggingLevel } from '../../protocol/content.js';
import { readMeta } from '../../protocol/meta.js';
import { createRequestMeta, type RequestMetadata } from '../../protocol/negotiation/classify-request.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { createClientInfo } from '../client-info.js';
import type { ClientOptions } from '../options.js';
import { createCapabilities } from '../server-requests/request-handlers.js';

/** The `_meta` of the requests of a connection. */
export class RequestMeta {
  readonly #metadata: Omit<RequestMetadata, 'logLevel'>;
  /** Members that identify the client. They stay the same until the log level changes. */
  #cached:
    | { readonly dialect: Dialect; readonly logLevel: LoggingLevel | undefined; readonly encoded: JsonObject }
    | undefined;

  constructor(options: ClientOptions) {
    this.#metadata = { capabilities: createCapabilities(options), client: createClientInfo(options) };
  }

  /** Adds `_meta` to params. It always contains a progress token, because progress extends the timeout. */
  addTo(params: JsonObject, dialect: Dialect, id: Id, logLevel: LoggingLevel | undefined): JsonObject {
    const opening = dialect.opening === 'per-request' ? this.#encode(dialect, logLevel) : undefined;
    // Adding a member to a spread object is ten times slower than spreading last. Usually the caller sets no `_meta`.
    if (!('_meta' in params)) return { _meta: { progressToken: id, ...opening }, ...params };
    return { ...params, _meta: { ...readMeta(params), ...opening, progressToken: id } };
  }

  #encode(dialect: Dialect, logLevel: LoggingLevel | undefined): JsonObject {
    if (this.#cached?.dialect !== dialect || this.#cached.logLevel !== logLevel) {
      this.#cached = { dialect, logLevel, encoded: createRequestMeta({ ...this.#metadata, logLevel }, dialect) };
    }
    return this.#cached.encoded;
  }
}
