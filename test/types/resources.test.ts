import { createServer, resource } from 'tenon';
import { describe, expectTypeOf, it } from 'vitest';

const about = { name: 'a', version: '1' };

describe('the variables of a template', () => {
  it('have types from its key in `read`', () => {
    createServer({
      ...about,
      resources: {
        'note://{title}': resource({
          read(variables, ctx) {
            expectTypeOf(variables.title).toEqualTypeOf<string>();
            expectTypeOf(variables.uri).toEqualTypeOf<string>();
            expectTypeOf<keyof typeof variables>().toEqualTypeOf<'title' | 'uri'>();
            expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>();
            return variables.title;
          },
        }),
        'file://{+path}{?line,tags*}': resource({
          read({ path, line, tags }) {
            expectTypeOf(path).toEqualTypeOf<string>();
            expectTypeOf(line).toEqualTypeOf<string | undefined>();
            expectTypeOf(tags).toEqualTypeOf<string[] | undefined>();
            return path;
          },
        }),
        'config://all': {
          read(variables) {
            expectTypeOf<keyof typeof variables>().toEqualTypeOf<'uri'>();
            return new Uint8Array();
          },
        },
      },
    });
  });

  it('have types from its key in `list` and `complete`', () => {
    createServer({
      ...about,
      resources: {
        'note://{title}': resource({
          list: () => [{ title: 'a', description: 'the first' }],
          complete: { title: (typed: string) => [typed] },
          read: ({ title }) => title,
        }),
        'a://{x}': resource({
          // @ts-expect-error every entry says what `x` is
          list: () => [{ y: '1' }],
          read: ({ x }) => x,
        }),
        'b://{x}': resource({
          // @ts-expect-error there is no `y` to complete
          complete: { y: ['1'] },
          read: ({ x }) => x,
        }),
        'c://{x}': resource({
          // @ts-expect-error the template has no `y`
          read: ({ y }) => y,
        }),
        'd://{x}': resource({
          // @ts-expect-error a number is nothing to read
          read: () => 4,
        }),
      },
    });
  });

  it('have types from its key per caller too', () => {
    createServer({
      ...about,
      resources: caller => ({
        'note://{title}': resource({
          read({ title }) {
            expectTypeOf(title).toEqualTypeOf<string>();
            return title + caller.auth?.principal;
          },
        }),
      }),
    });
  });

  it('have any names where a resource is defined apart from its key', () => {
    const apart = resource({ read: ({ title }) => title });
    const several = { 'note://{title}': apart, 'note://all': resource({ list: () => [{}], read: () => 'all' }) };
    createServer({ ...about, resources: several });
    createServer({ ...about, resources: { ...several, 'x://{y}': apart } });
    const typed = resource<{ title: string }>({ read: ({ title }) => title });
    createServer({ ...about, resources: { 'note://{title}': typed } });
    // @ts-expect-error this template has no `title`
    createServer({ ...about, resources: { 'note://{name}': typed } });
  });

  it('have types from the key of `set`', () => {
    const server = createServer(about);
    server.resources.set(
      'note://{title}',
      resource({
        list: () => [{ title: 'a' }],
        complete: { title: ['a'] },
        read(variables) {
          expectTypeOf(variables.title).toEqualTypeOf<string>();
          expectTypeOf<keyof typeof variables>().toEqualTypeOf<'title' | 'uri'>();
          return variables.title;
        },
      }),
    );
    server.resources.set('note://{title}{?line}', {
      read({ line }) {
        expectTypeOf(line).toEqualTypeOf<string | undefined>();
        return line;
      },
    });
    server.resources.set(
      'note://{title}',
      // @ts-expect-error the template has no `name`
      resource({ read: ({ name }) => name }),
    );
    server.resources.set('note://{title}', resource<{ title: string }>({ read: ({ title }) => title }));
    server.resources.set(
      'note://{name}',
      // @ts-expect-error this template has no `title`
      resource<{ title: string }>({ read: ({ title }) => title }),
    );
  });

  it('have any names if the key of `set` is not known', () => {
    const uri: string = 'note://a';
    createServer(about).resources.set(
      uri,
      resource({
        read(variables) {
          expectTypeOf(variables.uri).toExtend<string>();
          expectTypeOf(variables.title).toEqualTypeOf<string | string[] | undefined>();
          return variables.uri;
        },
      }),
    );
  });

  it('can be passed to `read` of a resource that is defined apart from its key', () => {
    const apart = resource({ read: ({ title }) => title });
    expectTypeOf<Parameters<typeof apart.read>[0]>().toEqualTypeOf<Record<string, string> & { readonly uri: string }>();
  });
});
