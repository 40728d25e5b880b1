import type { JsonObject } from '@tenon/base';

/**
 * A protocol version as data. Traits describe its behavior. Transforms convert messages between this version and the
 * newest one.
 */
export interface Dialect {
  /** The protocol version string. Compare it only for equality. */
  readonly protocolVersion: string;
  /** Opening of a connection: by a handshake that starts a session, or by metadata in each request. */
  readonly opening: 'handshake' | 'per-request';
  /** Input requests: by a request from the server, or by a result that the client answers with a retry. */
  readonly inputRequests: 'by-request' | 'by-retry';
  /** Change notifications: to subscribers and open sessions, or only on `subscriptions/listen` streams. */
  readonly subscriptions: 'by-subscribe' | 'by-listen';
  /**
   * Creation of tasks: by a parameter of the client, or by the server for clients with the extension. `undefined` on
   * versions without tasks.
   */
  readonly tasks: 'by-parameter' | 'by-extension' | undefined;
  /** Methods of the client that a server without sessions refuses. Absent if the server has sessions. */
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
  /** True if each request after the opening names its version in `MCP-Protocol-Version`. */
  readonly versionHeader: boolean;
  /** True if `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` repeat values of the body. */
  readonly mirrorHeaders: boolean;
  /**
   * True if a stream begins with an empty event that has an ID. The server may then close the stream and let the client
   * poll.
   */
  readonly priming: boolean;
  /** True if closing the response cancels the request. */
  readonly closeCancels: boolean;
  /** Tells if a client tries HTTP+SSE after its first POST got this status. */
  readonly isFallbackStatus: (status: number) => boolean;
}

export interface ErrorTraits {
  readonly resourceNotFound: number;
  /** Handling of arguments that do not match a tool's schema: a result for the model, or an error. */
  readonly invalidArguments: 'result' | 'error';
  /** The error code of a required URL elicitation, if the version has one. */
  readonly urlElicitationRequired?: number | undefined;
  /** The error code of a missing client capability, if the version has one. */
  readonly missingCapability?: number | undefined;
  /** ID in responses to unreadable messages. */
  readonly unreadableId: null | undefined;
}

/** Context of a transform: the tool of a value, or the request of a result. */
export interface TransformContext {
  readonly outputSchema?: JsonObject | undefined;
  readonly params?: JsonObject | undefined;
}

/** Transforms a value. In a table, `undefined` means no change. */
export type Transform = (value: JsonObject, about: TransformContext) => JsonObject;

/** Returns the transform of a method. `undefined` if its messages stay the same. */
export type FindTransform = (method: string) => Transform | undefined;

/** Transforms in one direction. Undefined for the newest version, whose messages all stay the same. */
interface SideTransforms {
  readonly params: FindTransform | undefined;
  readonly result: FindTransform | undefined;
}

/**
 * Transforms of a dialect. `encode` converts messages from the newest version to this one, `decode` from this one to
 * the newest.
 */
export interface DialectTransforms {
  readonly encode: SideTransforms;
  readonly decode: SideTransforms;
}
