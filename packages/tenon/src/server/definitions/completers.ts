import type { Context } from '../context/context.js';

/** What completes an argument: all that may stand there (matched by prefix for you), or a function of what is typed. */
export type Completer = readonly string[] | CompleteMethod['complete'];

interface CompleteMethod {
  /** A method, so that its parameter may be annotated with a context of another state, as that of a handler. */
  complete(typed: string, completion: CompletionContext): Completions | Promise<Completions>;
}

/** What is known while an argument is completed: the other arguments, so far as the client says. */
export interface CompletionContext<S = unknown> {
  readonly arguments: { readonly [name: string]: string };
  readonly context: Context<S>;
}

/** Values in order of fit. At most 100 are sent; `total` and `hasMore` tell of the rest. */
export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number | undefined; readonly hasMore?: boolean | undefined };

export type Completers<Name extends string = string> = { readonly [N in Name]?: Completer };
