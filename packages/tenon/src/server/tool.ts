import type { InputRequiredResult } from '../model/asking.js';
import type { ContentBlock, Icon, Meta, ToolAnnotations } from '../model/content.js';
import type { InferInput, InferOutput, Schema } from '../schemas/standard.js';
import type { Caller } from './caller.js';
import type { Context } from './context.js';
import type { Reply } from './reply.js';

type Awaitable<T> = T | Promise<T>;

/** What a tool without `output` may return: text, content, or a JSON value that becomes text. */
export type Loose =
  | string
  | number
  | boolean
  | null
  | undefined
  | void
  | ContentBlock
  | readonly (string | ContentBlock)[]
  | object;

/** What a tool may return: what fits `output`, a `reply`, or a question. */
export type ToolReturn<O> = (unknown extends O ? Loose : O) | Reply | InputRequiredResult;

/** What is said of a tool beside what it does. https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool */
export interface ToolFacts {
  /** For people. The name for programs is the key. */
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
  readonly icons?: Icon[];
  readonly _meta?: Meta;
  /** Whether this caller sees the tool, in lists and in calls. Default: all do. */
  readonly visible?: (caller: Caller) => boolean;
}

/** A tool, as its author writes it. The type parameters are what the handler gets and what callers get. */
export interface ToolDefinition<In = unknown, Out = unknown> extends ToolFacts {
  readonly input?: Schema;
  readonly output?: Schema;
  run(input: never, context: Context): Awaitable<unknown>;
  /** Only for the compiler: what a caller passes and what it gets. */
  readonly types?: { readonly input: In; readonly output: Out };
}

type Arguments<I> = unknown extends I ? Record<string, unknown> : I;

/**
 * Defines a tool. The schemas are any Standard Schema or raw JSON Schema: `input` types the handler's first argument,
 * `output` what it returns. What `run` throws is shown to the model only when it was made by `toolError`.
 */
export function tool<const I extends Schema, const O extends Schema>(
  definition: {
    readonly input: I;
    readonly output: O;
    run(input: Arguments<InferOutput<I>>, context: Context): Awaitable<ToolReturn<InferInput<O>>>;
  } & ToolFacts,
): ToolDefinition<InferInput<I>, InferOutput<O>>;
export function tool<const I extends Schema>(
  definition: {
    readonly input: I;
    readonly output?: undefined;
    run(input: Arguments<InferOutput<I>>, context: Context): Awaitable<ToolReturn<unknown>>;
  } & ToolFacts,
): ToolDefinition<InferInput<I>, unknown>;
export function tool<const O extends Schema>(
  definition: {
    readonly input?: undefined;
    readonly output: O;
    run(input: Record<string, unknown>, context: Context): Awaitable<ToolReturn<InferInput<O>>>;
  } & ToolFacts,
): ToolDefinition<undefined, InferOutput<O>>;
export function tool(
  definition: {
    readonly input?: undefined;
    readonly output?: undefined;
    run(input: Record<string, unknown>, context: Context): Awaitable<ToolReturn<unknown>>;
  } & ToolFacts,
): ToolDefinition<undefined, unknown>;
export function tool(definition: object): ToolDefinition {
  return definition as ToolDefinition;
}
