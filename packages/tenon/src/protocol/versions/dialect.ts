import type { JsonObject } from '../../jsonrpc/message.js';

/**
 * A protocol version as data. Traits describe its differences; transforms convert messages of the newest version into
 * messages of this one, and back.
 */
export interface Dialect {
  /** The protocol version string. Compared for equality only. */
  readonly protocolVersion: string;
  /** Opening: by a handshake that begins a session, or by metadata of each request. */
  readonly opening: 'handshake' | 'per-request';
  /** Input requests: by a request of the server, or by a result that requires a retry. */
  readonly inputRequests: 'by-request' | 'by-retry';
  /** Announcement of changes: to subscribers and open sessions, or only on streams that listen. */
  readonly subscriptions: 'by-subscribe' | 'by-listen';
  /**
   * Creation of tasks: by the client with a parameter, or by the server for clients with the extension. `none` on
   * versions without tasks.
   */
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
  /** True if a body may be an array of messages. */
  readonly batches: boolean;
  /** True if a session id, a GET stream, DELETE and `Last-Event-ID` exist. */
  readonly sessions: boolean;
  /** True if each request after the opening states its version in `MCP-Protocol-Version`. */
  readonly versionHeader: boolean;
  /** True if `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` mirror the body. */
  readonly mirrorHeaders: boolean;
  /** True if a stream begins with an empty event that has an id, so that the server may close it and be polled. */
  readonly priming: boolean;
  /** True if closing the response cancels the request. */
  readonly closeCancels: boolean;
  /** True for statuses of a first POST after which a client tries the two-endpoint transport. */
  readonly isFallbackStatus: (status: number) => boolean;
}

export interface ErrorTraits {
  readonly resourceNotFound: number;
  /** Handling of arguments that do not fit a tool's schema: a result that the model sees, or an error. */
  readonly invalidArguments: 'result' | 'error';
  /** The error code of a required URL elicitation, if the version has one. */
  readonly urlElicitationRequired?: number | undefined;
  /** The error code of a missing client capability, if the version has one. */
  readonly missingCapability?: number | undefined;
  /** Id in responses to unreadable messages. */
  readonly unreadableId: null | undefined;
}

/** Context of a transformed value: the tool it concerns, or the request it answers. */
export interface TransformContext {
  readonly outputSchema?: JsonObject | undefined;
  readonly params?: JsonObject | undefined;
}

/** `undefined` in a table means: as it is. */
export type Transform = (value: JsonObject, about: TransformContext) => JsonObject;

/** `encode` converts from the newest version to the peer's, `decode` back. */
export interface DialectTransforms {
  readonly encode: { params(method: string): Transform | undefined; result(method: string): Transform | undefined };
  readonly decode: { params(method: string): Transform | undefined; result(method: string): Transform | undefined };
}
