import type { MaybePromise } from '../../jsonrpc/maybe-promise.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { ContentBlock, Icon, Meta, ToolAnnotations } from '../../protocol/content.js';
import type { InputRequiredResult } from '../../protocol/input-requests.js';
import type { InferArguments, InferInput, InferOutput, Schema } from '../../schemas/standard.js';
import type { CallerInfo } from '../caller-info.js';
import type { Context } from '../context/context.js';
import type { ToolResultParts } from './tool-result.js';

/** Return value of a tool without `output`: text, content, or a JSON value that becomes text. */
export type UntypedToolReturn =
  | string
  | number
  | boolean
  | null
  | undefined
  | void
  | ContentBlock
  | readonly (string | ContentBlock)[]
  | object;

/**
 * A result in the form of the specification, for handlers that return this form. A tool with `output` returns a
 * matching `structuredContent`, or `isError`.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
 */
export type ProtocolToolResult<O> = {
  readonly content: readonly ContentBlock[];
  readonly _meta?: Meta | undefined;
} & (
  | { readonly structuredContent: O; readonly isError?: boolean | undefined }
  | { readonly structuredContent?: undefined; readonly isError: true }
);

/** Return value of a tool: a value of `output`, a `toolResult`, a result of the specification, or an input request. */
export type ToolReturn<O> =
  | (unknown extends O ? UntypedToolReturn : O | ProtocolToolResult<O>)
  | ToolResultParts
  | InputRequiredResult;

/** Metadata of a tool. https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool */
export interface ToolMetadata {
  /** Name for people, in user interfaces. Default: the key. */
  readonly title?: string | undefined;
  /** Describes to the model the effect of the tool and when to use it. */
  readonly description?: string | undefined;
  /**
   * Hints about the behavior of the tool, for user interfaces and policies: `readOnlyHint`, `destructiveHint`,
   * `idempotentHint`, `openWorldHint`.
   */
  readonly annotations?: ToolAnnotations | undefined;
  /** Images for user interfaces. Default: none. */
  readonly icons?: Icon[] | undefined;
  /** Metadata for clients. A key with a prefix of the protocol is refused by `meta/reserved`. */
  readonly _meta?: Meta | undefined;
  /** True if this caller sees the tool, in lists and in calls. Default: all do. */
  readonly visible?: ((caller: CallerInfo) => boolean) | undefined;
  /**
   * Client capabilities that the call requires, for example `{ elicitation: {} }`. Without them the call is refused.
   */
  readonly requiredCapabilities?: ClientCapabilities | undefined;
  /**
   * Scopes that the caller's token must have. Otherwise the call is refused: over HTTP by a 403 that names these
   * scopes, so that a client can request them. Without authorization a caller has none.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Allows or requires calls to become tasks, which are answered at once and outlive the request. Takes effect with
   * `extensions: [tasks()]`. Default `forbidden`.
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
   */
  readonly task?: TaskSupport | TaskOptions | undefined;
}

/** States whether calls of a tool may or must become tasks. */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** Task options of one tool. Times are milliseconds. */
export interface TaskOptions {
  /** Default `optional`. */
  readonly support?: 'optional' | 'required' | undefined;
  /**
   * Time after which a call becomes a task, in milliseconds. A shorter call is answered directly. On versions where the
   * client requests a task, the client decides. Default 0: at once.
   */
  readonly after?: number | undefined;
  /** Time for which a task is kept, from its creation, in milliseconds. Default: as for all tasks of the server. */
  readonly ttl?: number | undefined;
  /**
   * Version of the handler. A task continues only in a process whose tool has the same version. Change it together with
   * the steps and input requests of the handler. Default: none, and a task continues in every process that has the
   * tool.
   */
  readonly version?: string | undefined;
  /** Advised interval between polls of a client, in milliseconds. Default: as for all tasks of the server. */
  readonly pollInterval?: number | undefined;
}

/** A tool, as its author writes it. The type parameters are what the handler gets and what callers get. */
export interface ToolDefinition<In = unknown, Out = unknown> extends ToolMetadata {
  /**
   * Schema of the arguments: zod, valibot, arktype or any other Standard Schema, or a JSON Schema object. It must
   * describe an object. It is listed as `inputSchema`, checks each call before `run`, and types the first argument of
   * `run`. Default: no arguments.
   */
  readonly input?: Schema | undefined;
  /**
   * Schema of what `run` returns. It is listed as `outputSchema`, checks each return value, and makes of it the
   * structured content of the result, with a text fallback. Default: `run` returns text, content blocks or any JSON
   * value.
   */
  readonly output?: Schema | undefined;
  /**
   * Handles a call. `input` has passed the schema, with its defaults filled in; `context` requests input, reports
   * progress and identifies the caller. Return a value of `output`, or `context.fail(text)` to tell the model the
   * reason of a failure. The text of an exception is not shown to the client, except for `toolError` and `rpcError`.
   */
  run(input: never, context: Context): MaybePromise<unknown>;
  /** Only for the compiler: what a caller passes and what it gets. */
  readonly types?: { readonly input: In; readonly output: Out } | undefined;
}

/** The argument of `tool`. Its schemas determine the types of the handler. */
export type ToolSpec<I, O> = ToolSchemas<I, O> & ToolBehavior<I, O>;

/** Apart from the rest, so that a mistake in that does not hide what the schemas are. */
interface ToolSchemas<I, O> {
  /**
   * Schema of the arguments: zod, valibot, arktype or any other Standard Schema, or a JSON Schema object. It must
   * describe an object. It is listed as `inputSchema`, checks each call before `run`, and types the first argument of
   * `run`. Default: no arguments.
   */
  readonly input?: I | undefined;
  /**
   * Schema of what `run` returns. It is listed as `outputSchema`, checks each return value, and makes of it the
   * structured content of the result, with a text fallback. Default: `run` returns text, content blocks or any JSON
   * value.
   */
  readonly output?: O | undefined;
}

interface ToolBehavior<I, O> extends ToolMetadata {
  /**
   * Handles a call. `input` has passed the schema, with its defaults filled in; `context` requests input, reports
   * progress and identifies the caller. Return a value of `output`, or `context.fail(text)` to tell the model the
   * reason of a failure. The text of an exception is not shown to the client, except for `toolError` and `rpcError`.
   */
  run(input: ToolInput<I>, context: Context): MaybePromise<ToolReturn<O extends undefined ? unknown : InferInput<O>>>;
}

/** Input of a handler: the output of the input schema, or any object without a schema. */
export type ToolInput<I> = I extends undefined ? Record<string, unknown> : InferArguments<I>;

/**
 * Defines a tool. `input` and `output` are Standard Schemas or JSON Schema; they type the handler's first argument and
 * its result. Errors of `run` are hidden from the model, except those of `toolError`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function tool<const I extends Schema | undefined = undefined, const O extends Schema | undefined = undefined>(
  definition: ToolSpec<I, O>,
): ToolDefinition<I extends undefined ? undefined : InferInput<I>, O extends undefined ? unknown : InferOutput<O>> {
  return definition as object as ToolDefinition<never, never>;
}
