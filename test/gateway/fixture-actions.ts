import { rpcError, type Server, tool, urlElicitationRequired } from 'tenon';
import { z } from 'zod';

const named = z.object({ name: z.string() });
const yes = z.object({ yes: z.boolean() });

/** Tools that do something and remember that they did. The server is asked for when it is needed: they are part of it. */
export function createActionTools(server: () => Server) {
  const deeds = new Map<string, number>();
  const locked = new Map<string, number>();
  const does = (name: string): number => {
    deeds.set(name, (deeds.get(name) ?? 0) + 1);
    return deeds.get(name) ?? 0;
  };
  return {
    counted: tool({
      description: 'Counts how often it ran under a name',
      input: named,
      output: z.object({ runs: z.number() }),
      run: ({ name }) => ({ runs: does(name) }),
    }),
    deed: tool({
      description: 'Asks before, between and after what it does, in steps',
      input: named,
      async run({ name }, ctx) {
        await ctx.roots();
        const first = await ctx.step('first', () => does(`${name}/first`));
        await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Go on?' } }], maxTokens: 5 });
        const second = await ctx.step('second', () => does(`${name}/second`));
        await ctx.roots();
        return `${first} ${second}`;
      },
    }),
    deeds: tool({
      description: 'How often something was done',
      input: named,
      output: z.object({ first: z.number(), second: z.number() }),
      run: ({ name }) => ({ first: deeds.get(`${name}/first`) ?? 0, second: deeds.get(`${name}/second`) ?? 0 }),
    }),
    coded: tool({
      description: 'Refuses with a code of its own',
      run() {
        throw rpcError(7001, 'The well is dry', { depth: 12, why: ['no rain'] });
      },
    }),
    locked: tool({
      description: 'Has to be unlocked at a URL before; is open after the first call',
      input: named,
      run({ name }) {
        const times = (locked.get(name) ?? 0) + 1;
        locked.set(name, times);
        if (times > 1) return `open after ${times}`;
        throw urlElicitationRequired({ message: 'Unlock it', url: `https://example.com/unlock/${name}` });
      },
    }),
    visited: tool({
      description: 'Asks to visit a page, and says that the visit is done',
      input: named,
      async run({ name }, ctx) {
        const elicitationId = `visit-of-${name}`;
        const { action } = await ctx.elicitUrl({
          message: 'Come in',
          url: `https://example.com/${name}`,
          elicitationId,
        });
        return `${action} ${server().completeElicitation(elicitationId) ? 'told' : 'untold'}`;
      },
    }),
    needy: tool({
      description: 'Needs what no client has',
      requiredCapabilities: { experimental: { 'com.example/wings': {} } },
      run: () => 'flown',
    }),
    refusable: tool({
      description: 'Asks what the user will not answer',
      input: z.object({ how: z.enum(['decline', 'cancel']) }),
      async run({ how }, ctx) {
        const { action, content } = await ctx.elicit({ message: `Please ${how}`, input: yes });
        return `${action} ${content === undefined ? 'empty' : 'full'}`;
      },
    }),
    shrink: tool({
      description: 'Takes away all that grew',
      run() {
        const { tools, prompts, resources } = server();
        const grown = tools.listNames().filter((name: string) => name.startsWith('grown-'));
        for (const name of grown) tools.delete(name);
        for (const name of prompts.listNames()) if (name.startsWith('grown-')) prompts.delete(name);
        for (const uri of resources.listNames()) if (uri.startsWith('grown://')) resources.delete(uri);
        return String(grown.length);
      },
    }),
  };
}
