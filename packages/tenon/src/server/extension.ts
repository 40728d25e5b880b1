import type { Run } from '../conversation/asking/asking.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Clock } from '../jsonrpc/clock.js';
import type { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../model/capabilities.js';
import type { Inputs, SubscriptionFilter } from '../model/shapes.js';
import type { Stores } from '../stores/stores.js';
import type { Caller } from './caller.js';
import type { Operation } from './middleware.js';
import type { SoundTaskRules } from './task-rules.js';
import type { Turn } from './turn.js';

/** What adds to a server. With an identifier and settings alone it is declared to every client, and no more. */
export interface ServerExtension {
  /** A prefix and a name: `com.example/thing`. */
  readonly id: string;
  /** Declared to the client. Default `{}`. */
  readonly settings?: JsonObject | undefined;
  /** Called once, when the server is made. */
  readonly install?: ((house: House) => Installed) | undefined;
}

/** What a server lends to its extensions. */
export interface House {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly problem: (error: TenonError) => void;
  /** Runs a tool's handler, and gives its result: also when it fails. The middleware is not passed. */
  enter(params: JsonObject, turn: Turn, run: Run, inputs: Inputs): JsonObject | Promise<JsonObject>;
  /** Says what keeps this process from running a tool's handler of this version. `undefined`: nothing does. */
  findObstacle(params: JsonObject, turn: Turn, version: string | undefined): Promise<string | undefined>;
  /** Tells whether a caller sees a tool, and the scopes that it demands. A tool that is not known here is visible and demands none. */
  toolAccess(name: string, caller: Caller): ToolAccess;
  /** Marks a result as final. */
  complete(result: JsonObject): JsonObject;
  /** Marks a result as that of a tool, though it answers another method. */
  ofTool(name: string, result: JsonObject): JsonObject;
}

export interface ToolAccess {
  readonly visible: boolean;
  readonly scopes: readonly string[];
}

export interface Installed {
  /** What it makes of methods of the protocol's table that are its own. */
  readonly operations?: { readonly [method: string]: Operate } | undefined;
  /** What it declares to this caller beside its settings. */
  readonly capabilities?: ((dialect: Dialect, caller: Caller) => ServerCapabilities) | undefined;
  /** Serves a call of a tool in its own way; undefined leaves it to the server. */
  readonly call?: ((call: ToolCall) => Promise<JsonObject> | undefined) | undefined;
  /** What it will tell a listener of, of what that wishes; none: of nothing. */
  readonly listen?:
    | ((wishes: SubscriptionFilter, turn: Turn) => Promise<Listening | undefined> | undefined)
    | undefined;
  /** The server closes. */
  readonly close?: (() => void) | undefined;
}

export type Operate = (operation: Operation, turn: Turn) => JsonObject | Promise<JsonObject>;

/** A call of a tool that may begin. */
export interface ToolCall {
  /** How calls of the tool become tasks; none when they do not. */
  readonly rules: SoundTaskRules | undefined;
  readonly operation: Operation;
  readonly turn: Turn;
  readonly run: Run;
  /** Runs the handler for this request. */
  perform(): JsonObject | Promise<JsonObject>;
  /** Goes on for no request: what the handler asks about its request it hears from this turn. */
  move(turn: Turn, params: JsonObject): void;
}

export interface Listening {
  readonly filter: SubscriptionFilter;
  /** Begins to tell. Gives what ends it. */
  begin(deliver: (method: string, params: JsonObject) => void): () => void;
}
