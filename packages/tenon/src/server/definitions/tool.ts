import type { MaybePromise } from '@tenon/base';
import type { CallerInfo, Context } from '../../handler/context.js';
import type { ToolResultParts } from '../../handler/tool-result.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { ContentBlock, Icon, Meta, ToolAnnotations } from '../../protocol/content.js';
import type { InputRequiredResult } from '../../protocol/input-requests.js';
import type { InferArguments, InferInput, InferOutput, Schema, WholeSchema } from '../../schemas/standard.js';
import type { ExposeErrors } from '../exposed-errors.js';

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
 * A result in the form of the specification. A tool with `output` returns a matching `structuredContent`, or `isError`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result
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

/**
 * Metadata of a tool.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool
 */
export interface ToolMetadata {
  /**
   * Name for people, in user interfaces.
   * @default the key
   */
  readonly title?: string | undefined;
  /** Describes to the model what the tool does and when to use it. */
  readonly description?: string | undefined;
  /**
   * Hints about the behavior of the tool, for user interfaces and policies: `readOnlyHint`, `destructiveHint`,
   * `idempotentHint`, `openWorldHint`.
   */
  readonly annotations?: ToolAnnotations | undefined;
  /**
   * Images for user interfaces.
   * @default none
   */
  readonly icons?: Icon[] | undefined;
  /** Metadata for clients. A key with a prefix of the protocol throws `meta/reserved`. */
  readonly _meta?: Meta | undefined;
  /**
   * Tells if a caller sees the tool, in lists and in calls. Only `true` shows it, and not a promise.
   * @default every caller sees it
   */
  readonly visible?: ((caller: CallerInfo) => boolean) | undefined;
  /** Client capabilities that the call requires, for example `{ elicitation: {} }`. A call without them is refused. */
  readonly requiredCapabilities?: ClientCapabilities | undefined;
  /**
   * Scopes that the caller's token must have. Otherwise the call is refused.
   *
   * Over HTTP the refusal is a 403 that names these scopes, so that the client can request them. Without authorization
   * a caller has no scopes.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Shows clients and models the messages of errors that the handler throws.
   * @default `exposeErrors` of the server
   */
  readonly exposeErrors?: ExposeErrors | undefined;
  /**
   * Allows or requires that calls become tasks, which respond immediately and outlive the request. Needs `extensions:
   * [tasks()]`.
   * @default `forbidden`
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
   */
  readonly task?: TaskSupport | TaskOptions | undefined;
}

/** Tells if calls of a tool may or must become tasks. */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** Task options of one tool. */
export interface TaskOptions {
  /**
   * Tells if calls may or must become tasks.
   * @default `optional`
   */
  readonly support?: 'optional' | 'required' | undefined;
  /**
   * Time after which a call becomes a task, in milliseconds. A shorter call gets a plain result. If the client
   * requests a task, the call becomes a task immediately.
   * @default 0
   */
  readonly after?: number | undefined;
  /**
   * Lifetime of a task from its creation, in milliseconds.
   * @default the lifetime for all tasks of the server
   */
  readonly ttl?: number | undefined;
  /**
   * Version of the handler. A task continues only in a process whose tool has the same version. Change the version
   * when you change the steps or input requests of the handler.
   * @default none, and a task continues in every process that has the tool
   */
  readonly version?: string | undefined;
  /**
   * Recommended interval between polls of a client, in milliseconds.
   * @default the interval for all tasks of the server
   */
  readonly pollInterval?: number | undefined;
}

/** Task options of a tool whose calls can become tasks. */
export type ResolvedTaskOptions = TaskOptions &
  Required<Pick<TaskOptions, 'support'>> & {
    /** Called with a function that turns the running call into a task. For handlers that decide during the call. */
    readonly setMoveToTask?: ((moveToTask: () => void) => void) | undefined;
  };

/** Definition of a tool. `In` is the type of the handler's input, and `Out` is the type of the result for callers. */
export interface ToolDefinition<In = unknown, Out = unknown> extends ToolMetadata {
  /**
   * Schema of the arguments: zod, valibot, arktype or any other Standard Schema, or a JSON Schema object. It must
   * describe an object.
   *
   * Clients see it as `inputSchema`. It validates each call before `run` and types the first argument of `run`.
   *
   * @default no arguments
   */
  readonly input?: Schema | undefined;
  /**
   * Schema of the return value of `run`. Clients see it as `outputSchema`. It validates each return value, which
   * becomes the structured content of the result with a text fallback.
   * @default `run` returns text, content blocks or any JSON value
   */
  readonly output?: Schema | undefined;
  /**
   * Handles a call. `input` has been validated by the schema and contains its defaults.
   *
   * `context` requests input, reports progress and identifies the caller. Return a value of `output`, or
   * `context.fail(text)` to tell the model why the call failed.
   *
   * The client does not see the text of an exception, except for `toolError` and `rpcError`.
   */
  run(input: never, context: Context): MaybePromise<unknown>;
  /** Types of the arguments and the result, for the compiler only. Never set at run time. */
  readonly types?: { readonly input: In; readonly output: Out } | undefined;
}

/** The argument of `tool`. Its schemas determine the types of the handler. */
export type ToolSpec<I, O> = ToolSchemas<I, O> & ToolBehavior<I, O>;

/** The schemas are a separate type, so that the compiler still infers them when another member has an error. */
interface ToolSchemas<I, O> {
  /**
   * Schema of the arguments: zod, valibot, arktype or any other Standard Schema, or a JSON Schema object. It must
   * describe an object.
   *
   * Clients see it as `inputSchema`. It validates each call before `run` and types the first argument of `run`.
   *
   * @default no arguments
   */
  readonly input?: I | undefined;
  /**
   * Schema of the return value of `run`. Clients see it as `outputSchema`. It validates each return value, which
   * becomes the structured content of the result with a text fallback.
   * @default `run` returns text, content blocks or any JSON value
   */
  readonly output?: O | undefined;
}

interface ToolBehavior<I, O> extends ToolMetadata {
  /**
   * Schema of the arguments, as a whole: a plain object of schemas is refused here.
   * @default no arguments
   */
  readonly input?: WholeSchema<I> | undefined;
  /**
   * Schema of the return value, as a whole: a plain object of schemas is refused here.
   * @default `run` returns text, content blocks or any JSON value
   */
  readonly output?: WholeSchema<O> | undefined;
  /**
   * Handles a call. `input` has been validated by the schema and contains its defaults.
   *
   * `context` requests input, reports progress and identifies the caller. Return a value of `output`, or
   * `context.fail(text)` to tell the model why the call failed.
   *
   * The client does not see the text of an exception, except for `toolError` and `rpcError`.
   */
  run(input: ToolInput<I>, context: Context): MaybePromise<ToolReturn<O extends undefined ? unknown : InferInput<O>>>;
}

/** Input of a handler: the output of the input schema, or any object without a schema. */
export type ToolInput<I> = I extends undefined ? Record<string, unknown> : InferArguments<I>;

/**
 * Defines a tool. `input` and `output` are Standard Schemas or JSON Schemas.
 *
 * They type the handler's first argument and its result. The model does not see errors of `run`, except those of
 * `toolError`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function tool<const I extends Schema | undefined = undefined, const O extends Schema | undefined = undefined>(
  definition: ToolSpec<I, O>,
): ToolDefinition<I extends undefined ? undefined : InferInput<I>, O extends undefined ? unknown : InferOutput<O>> {
  return definition as object as ToolDefinition<never, never>;
}
