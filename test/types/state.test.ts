import {
  type Context,
  connect,
  createServer,
  forMethod,
  type Middleware,
  prompt,
  resource,
  type StateContext,
  tool,
} from 'tenon';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const about = { name: 'a', version: '1' };

interface AppState {
  readonly db: { find(name: string): string };
  user?: { name: string };
}

const createState = (): AppState => ({ db: { find: name => name } });

describe('ctx.state', () => {
  it('has the type that `state` returns in middleware and methods, and that of the annotation in other handlers', () => {
    createServer({
      ...about,
      state: createState,
      use: [
        (operation, next) => {
          expectTypeOf(operation.context.state).toEqualTypeOf<AppState>();
          operation.context.state.user = { name: 'Ada' };
          return next(operation);
        },
        forMethod('tools/call', (operation, next) => {
          expectTypeOf(operation.context.state).toEqualTypeOf<AppState>();
          return next(operation);
        }),
      ],
      tools: {
        find: tool({
          input: z.object({ name: z.string() }),
          run({ name }, ctx: Context<AppState>) {
            expectTypeOf(name).toEqualTypeOf<string>();
            expectTypeOf(ctx.state).toEqualTypeOf<AppState>();
            return ctx.state.db.find(name);
          },
        }),
      },
      prompts: {
        ask: prompt({
          input: z.object({ name: z.string() }),
          run(_input, ctx: Context<AppState>) {
            expectTypeOf(ctx.state).toEqualTypeOf<AppState>();
            return '';
          },
        }),
      },
      resources: {
        'note://{title}': resource({
          list(ctx: Context<AppState>) {
            expectTypeOf(ctx.state).toEqualTypeOf<AppState>();
            return [];
          },
          read({ title }: { title: string }, ctx: Context<AppState>) {
            expectTypeOf(title).toEqualTypeOf<string>();
            expectTypeOf(ctx.state).toEqualTypeOf<AppState>();
            return title;
          },
        }),
      },
      methods: {
        'com.example/find': {
          run(_params, ctx) {
            expectTypeOf(ctx.state).toEqualTypeOf<AppState>();
            return {};
          },
        },
      },
    });
  });

  it('accepts `Context<State>` and `Middleware<State>` for definitions apart from the server', async () => {
    const find = tool({
      input: z.object({ name: z.string() }),
      run: ({ name }, { state }: Context<AppState>) => state.db.find(name),
    });
    const ask = prompt({ run: (_input, { state }: Context<AppState>) => state.db.find('a') });
    const signedIn: Middleware<AppState> = (operation, next) => {
      operation.context.state.user = { name: 'Ada' };
      return next(operation);
    };
    const plain = tool({ run: () => 1 });
    const server = createServer({
      ...about,
      state: createState,
      use: [signedIn],
      tools: { find, plain },
      prompts: { ask },
    });
    const client = await connect<typeof server>(server);
    expectTypeOf(client.tools.find).parameter(0).toEqualTypeOf<{ name: string }>();
    await client.close();

    // @ts-expect-error the middleware needs a state with `user`
    void (() => createServer({ ...about, use: [signedIn] }));
  });

  it('may be created from the context of the request', () => {
    createServer({
      ...about,
      state: (context: StateContext) => {
        expectTypeOf(context.auth?.principal).toEqualTypeOf<string | undefined>();
        return { tenant: context.request?.header('x-tenant') };
      },
      use: [
        (operation, next) => {
          expectTypeOf(operation.context.state.tenant).toEqualTypeOf<string | undefined>();
          return next(operation);
        },
      ],
    });
  });

  it('has type unknown without `state`', () => {
    tool({
      run(_input, ctx) {
        expectTypeOf(ctx.state).toEqualTypeOf<unknown>();
      },
    });
  });
});
