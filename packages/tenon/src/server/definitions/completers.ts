import type { Context } from '../context/context.js';

/** Completes an argument: a list of all values (matched by prefix), or a function of the typed text. */
export type Completer = readonly string[] | CompleteMethod['complete'];

interface CompleteMethod {
  /** A method, so that its parameter may be annotated with a context of another state, as that of a handler. */
  complete(typed: string, completion: CompletionContext): Completions | Promise<Completions>;
}

/** Context of a completion: the other arguments, as far as the client sends them. */
export interface CompletionContext<S = unknown> {
  readonly arguments: { readonly [name: string]: string };
  readonly context: Context<S>;
}

/** Values, the best match first. At most 100 are sent; `total` and `hasMore` describe the rest. */
export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number | undefined; readonly hasMore?: boolean | undefined };

export type Completers<Name extends string = string> = { readonly [N in Name]?: Completer };
