import type { Context } from '../../handler/context.js';

/** Completes an argument: a list of all values, of which those that match the typed text are sent, or a function of it. */
export type Completer = readonly string[] | CompleteMethod['complete'];

interface CompleteMethod {
  /**
   * Returns values for the typed text. It is declared as a method, so that its parameter may have a context with
   * another state.
   */
  complete(typed: string, completion: CompletionContext): Completions | Promise<Completions>;
}

/** Context of a completion. It has the other arguments that the client sends. */
export interface CompletionContext<S = unknown> {
  readonly arguments: { readonly [name: string]: string };
  readonly context: Context<S>;
}

/** Values, the best match first. At most 100 are sent. `total` and `hasMore` describe the rest. */
export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number | undefined; readonly hasMore?: boolean | undefined };

export type Completers<Name extends string = string> = { readonly [N in Name]?: Completer };
