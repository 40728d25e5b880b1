import type { Context } from './context.js';

/** The context of a request whose state is being made. */
export type StateContext = Omit<Context, 'state'>;

/**
 * Makes the state of one request. Called when `ctx.state` is first read, and never for a request that does not read it.
 * Annotate the parameter, so that the compiler knows `S` before it checks the handlers:
 * `(context: StateContext) => ({ … })`.
 */
export type CreateState<S> = (context: StateContext) => S;
