import type { Context } from './context.js';

/** Context of a request while its state is created. */
export type StateContext = Omit<Context, 'state'>;

/**
 * Creates the state of one request. Called when `ctx.state` is first read. Annotate the parameter, so that the compiler
 * knows `S` before it checks the handlers: `(context: StateContext) => ({ … })`.
 */
export type CreateState<S> = (context: StateContext) => S;
