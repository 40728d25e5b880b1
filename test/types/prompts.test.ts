import { type Context, type PromptDefinition, prompt } from 'tenon';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

const input = z.object({ title: z.string(), tone: z.enum(['dry', 'warm']).optional() });

describe('the type of a prompt', () => {
  it('passes the parsed input to the handler', () => {
    const summary = prompt({
      input,
      complete: { tone: ['dry', 'warm'], title: async (typed, { context }) => [typed, context.protocolVersion] },
      run(given, ctx) {
        expectTypeOf(given).toEqualTypeOf<{ title: string; tone?: 'dry' | 'warm' | undefined }>();
        expectTypeOf(ctx).toEqualTypeOf<Context>();
        return given.title;
      },
    });
    expectTypeOf(summary).toEqualTypeOf<PromptDefinition<{ title: string; tone?: 'dry' | 'warm' | undefined }>>();
  });

  it('passes texts by name without a schema', () => {
    const bare = prompt({
      run(given) {
        expectTypeOf(given).toEqualTypeOf<Record<string, string>>();
        return [{ role: 'assistant', content: { type: 'text', text: 'x' } }, 'more'];
      },
    });
    expectTypeOf(bare).toEqualTypeOf<PromptDefinition<undefined>>();
  });

  it('follows a JSON Schema', () => {
    prompt({
      input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      run(given) {
        expectTypeOf(given).branded.toEqualTypeOf<{ title: string }>();
        return given.title;
      },
    });
  });

  it('refuses invalid definitions', () => {
    // @ts-expect-error a number is no message
    prompt({ input, run: () => 4 });
    // @ts-expect-error there is no argument `titel` to complete
    prompt({ input, complete: { titel: ['x'] }, run: () => '' });
    // @ts-expect-error the input has no `titel`
    prompt({ input, run: ({ titel }) => titel });
  });
});
