import type { MaybePromise } from '@tenon/base';
import type { CallerInfo, Context } from '../../handler/context.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { ContentBlock, Icon, Meta, PromptMessage } from '../../protocol/content.js';
import type { InputRequiredResult } from '../../protocol/input-requests.js';
import type { GetPromptResult } from '../../protocol/params-and-results.js';
import type { InferInput, InferOutput, Schema, WholeSchema } from '../../schemas/standard.js';
import type { ExposeErrors } from '../exposed-errors.js';
import type { Completers } from './completers.js';

/** Return value of a prompt: text or blocks of one user message, complete messages, or an input request. */
export type PromptReturn =
  | string
  | ContentBlock
  | readonly (string | ContentBlock | PromptMessage)[]
  | GetPromptResult
  | InputRequiredResult;

/**
 * Metadata of a prompt.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt
 */
export interface PromptMetadata {
  /**
   * Name for people, in user interfaces.
   * @default the key
   */
  readonly title?: string | undefined;
  /** Describes the purpose of the prompt to people. */
  readonly description?: string | undefined;
  /**
   * Images for user interfaces.
   * @default none
   */
  readonly icons?: Icon[] | undefined;
  /** Metadata for clients. A key with a prefix of the protocol throws `meta/reserved`. */
  readonly _meta?: Meta | undefined;
  /**
   * Tells if a caller sees the prompt, in lists and in requests. Only `true` shows it, and not a promise.
   * @default every caller sees it
   */
  readonly visible?: ((caller: CallerInfo) => boolean) | undefined;
  /**
   * Client capabilities that the prompt requires, for example `{ elicitation: {} }`. A request without them is refused.
   */
  readonly requiredCapabilities?: ClientCapabilities | undefined;
  /** Scopes that the caller's token must have. A request without them is refused: see `ToolMetadata.scopes`. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Shows clients and models the messages of errors that the handler throws.
   * @default `exposeErrors` of the server
   */
  readonly exposeErrors?: ExposeErrors | undefined;
}

/** Definition of a prompt. */
export interface PromptDefinition<In = unknown> extends PromptMetadata {
  /**
   * Schema of the arguments: any Standard Schema, or a JSON Schema object. Its properties become the arguments of the
   * prompt, which the protocol sends as text. It types the first argument of `run`.
   * @default no arguments
   */
  readonly input?: Schema | undefined;
  /** Suggests values for arguments while the user types. Each argument has a list, or a function of the typed text. */
  readonly complete?: Completers | undefined;
  /**
   * Creates the messages. `input` has been validated by the schema.
   *
   * `context` requests input and identifies the caller. Return the text of one user message, content blocks, or
   * complete messages.
   */
  run(input: never, context: Context): MaybePromise<PromptReturn>;
  /** Types of the input, for the compiler only. Never set at run time. */
  readonly types?: { readonly input: In } | undefined;
}

/** The argument of `prompt`. Its schema determines the types of the handler. */
export type PromptSpec<I> = PromptSchema<I> & PromptBehavior<I>;

/** The schema is a separate type, so that the compiler still infers it when another member has an error. */
interface PromptSchema<I> {
  /**
   * Schema of the arguments: any Standard Schema, or a JSON Schema object. Its properties become the arguments of the
   * prompt, which the protocol sends as text. It types the first argument of `run`.
   * @default no arguments
   */
  readonly input?: I | undefined;
}

interface PromptBehavior<I> extends PromptMetadata {
  /**
   * Schema of the arguments, as a whole: a plain object of schemas is refused here.
   * @default no arguments
   */
  readonly input?: WholeSchema<I> | undefined;
  /** Suggests values for arguments while the user types. Each argument has a list, or a function of the typed text. */
  readonly complete?: (I extends Schema ? Completers<keyof InferInput<I> & string> : undefined) | undefined;
  /**
   * Creates the messages. `input` has been validated by the schema.
   *
   * `context` requests input and identifies the caller. Return the text of one user message, content blocks, or
   * complete messages.
   */
  run(input: PromptInput<I>, context: Context): MaybePromise<PromptReturn>;
}

type PromptInput<I> = I extends Schema
  ? unknown extends InferOutput<I>
    ? Record<string, string>
    : InferOutput<I>
  : Record<string, string>;

/**
 * Defines a prompt. The properties of `input` are its arguments, which are strings on the wire.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
export function prompt<const I extends Schema | undefined = undefined>(
  definition: PromptSpec<I>,
): PromptDefinition<I extends Schema ? InferInput<I> : undefined> {
  return definition as object as PromptDefinition<never>;
}
