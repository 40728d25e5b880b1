import type { InputRequiredResult } from '../model/asking.js';
import type { ContentBlock, Icon, Meta, PromptMessage } from '../model/content.js';
import type { GetPromptResult } from '../model/methods.js';
import type { InferInput, InferOutput, Schema } from '../schemas/standard.js';
import type { Caller } from './caller.js';
import type { Completers } from './completers.js';
import type { Context } from './context.js';

type Awaitable<T> = T | Promise<T>;

/** What a prompt may return: the text of one user message, blocks of one, whole messages, or a question. */
export type PromptReturn =
  | string
  | ContentBlock
  | readonly (string | ContentBlock | PromptMessage)[]
  | GetPromptResult
  | InputRequiredResult;

/** What is said of a prompt beside what it does. https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt */
export interface PromptFacts {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: Icon[];
  readonly _meta?: Meta;
  readonly visible?: (caller: Caller) => boolean;
}

export interface PromptDefinition<In = unknown> extends PromptFacts {
  readonly input?: Schema;
  readonly complete?: Completers;
  run(input: never, context: Context): Awaitable<PromptReturn>;
  readonly types?: { readonly input: In };
}

type Arguments<I> = unknown extends I ? Record<string, string> : I;

/** Defines a prompt. The properties of `input` become its arguments; on the wire each is a string. */
export function prompt<const I extends Schema>(
  definition: {
    readonly input: I;
    readonly complete?: Completers<keyof InferInput<I> & string>;
    run(input: Arguments<InferOutput<I>>, context: Context): Awaitable<PromptReturn>;
  } & PromptFacts,
): PromptDefinition<InferInput<I>>;
export function prompt(
  definition: {
    readonly input?: undefined;
    run(input: Record<string, string>, context: Context): Awaitable<PromptReturn>;
  } & PromptFacts,
): PromptDefinition<undefined>;
export function prompt(definition: object): PromptDefinition {
  return definition as PromptDefinition;
}
