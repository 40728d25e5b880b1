import type { JsonObject } from '../../jsonrpc/message.js';

/**
 * A protocol revision as data. Traits answer the questions on which revisions differ in manner; `speak` turns our
 * words (the newest revision's) into a peer's and back.
 */
export interface Dialect {
  /** The protocol version string. Compared for equality only. */
  readonly protocolVersion: string;
  /** How do peers meet? By a handshake that opens a session, or by facts that each request carries. */
  readonly opening: 'handshake' | 'per-request';
  /** How does a handler ask the client? By a request of its own, or by a result that asks for a retry. */
  readonly inputRequests: 'by-request' | 'by-retry';
  /** How are changes announced? To who subscribed or is connected, or only on streams that listen. */
  readonly subscriptions: 'by-subscribe' | 'by-listen';
  /** Who makes a request a task? The client, by a parameter; or the server, for who has the extension. Where there are none: nobody. */
  readonly tasks: 'by-parameter' | 'by-extension' | undefined;
  /** The client's methods that are refused because the server keeps no sessions. Absent where it keeps them. */
  readonly sessionMethods?: ReadonlySet<string> | undefined;
  readonly http: HttpTraits;
  readonly errors: ErrorTraits;
  /** The methods and notifications that each side may send. */
  readonly methods: { readonly client: ReadonlySet<string>; readonly server: ReadonlySet<string> };
  readonly transforms: DialectTransforms;
}

export interface HttpTraits {
  /** Whether a body may be an array of messages. */
  readonly batches: boolean;
  /** Whether a session id, a GET stream, DELETE and `Last-Event-ID` exist. */
  readonly sessions: boolean;
  /** Whether each request after the opening states its revision in `MCP-Protocol-Version`. */
  readonly versionHeader: boolean;
  /** Whether `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` mirror the body. */
  readonly mirrorHeaders: boolean;
  /** Whether a stream begins with an empty event that has an id, so that the server may hang up and be polled. */
  readonly priming: boolean;
  /** Whether closing the response cancels the request. */
  readonly closeCancels: boolean;
  /** Which refusals of a first POST tell a client to try the two-endpoint transport. */
  readonly isFallbackStatus: (status: number) => boolean;
}

export interface ErrorTraits {
  readonly resourceNotFound: number;
  /** Whether arguments that do not fit a tool's schema are a result that the model sees, or an error. */
  readonly invalidArguments: 'result' | 'error';
  /** The code that says that a URL must be visited first, where there is one. */
  readonly urlElicitationRequired?: number | undefined;
  /** The code that says that the client lacks a capability, where there is one. */
  readonly missingCapability?: number | undefined;
  /** What stands for the id of a message that was too broken to have one. */
  readonly unreadableId: null | undefined;
}

/** What is around a value that is being reshaped: the tool it is about, or the request it answers. */
export interface TransformContext {
  readonly outputSchema?: JsonObject | undefined;
  readonly params?: JsonObject | undefined;
}

/** `undefined` in a table means: as it is. */
export type Transform = (value: JsonObject, about: TransformContext) => JsonObject;

/** Down is from our words to the peer's, up is from the peer's to ours. */
export interface DialectTransforms {
  readonly encode: { params(method: string): Transform | undefined; result(method: string): Transform | undefined };
  readonly decode: { params(method: string): Transform | undefined; result(method: string): Transform | undefined };
}
