import { protocolVersions } from '@tenon/testing';
import { type ClientOptions, connect, createServer, prompt, resource, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const from = (date: string) => (version: string) => version >= date;
const byRetry = from('2026-07-28');

/** Each kind of question, from which protocol version on it can be asked, and what a client needs for it. */
const kinds = {
  form: { since: from('2025-06-18'), needs: { elicitation: { form: {} } } },
  url: { since: from('2025-11-25'), needs: { elicitation: { url: {} } } },
  sample: { since: from('2024-11-05'), needs: { sampling: {} } },
  tools: { since: from('2025-11-25'), needs: { sampling: { tools: {} } } },
  roots: { since: from('2024-11-05'), needs: { roots: {} } },
} as const;
type Kind = keyof typeof kinds;

const user = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
const look = { name: 'look', inputSchema: { type: 'object' as const, properties: {} } };

interface Ctx {
  elicit(params: { message: string; input: z.ZodObject }): Promise<{ action: string; content?: unknown }>;
  elicitUrl(params: { message: string; url: string }): Promise<{ action: string }>;
  sample(request: never): Promise<{ content: unknown; stopReason?: string }>;
  roots(): Promise<{ uri: string }[]>;
}

const ask: { readonly [K in Kind]: (ctx: Ctx) => Promise<string> } = {
  form: async ctx => {
    const { action, content } = await ctx.elicit({ message: 'Who?', input: z.object({ name: z.string() }) });
    return `${action} ${JSON.stringify(content)}`;
  },
  url: async ctx => (await ctx.elicitUrl({ message: 'Sign in', url: 'https://example.com/' })).action,
  sample: async ctx => JSON.stringify((await ctx.sample({ messages: [user('Hi')], maxTokens: 5 } as never)).content),
  tools: async ctx => {
    const request = { messages: [user('Look')], maxTokens: 5, tools: [look], toolChoice: { mode: 'required' } };
    return (await ctx.sample(request as never)).stopReason ?? '';
  },
  roots: async ctx => (await ctx.roots()).map(({ uri }) => uri).join(),
};

const expected: { readonly [K in Kind]: string } = {
  form: 'accept {"name":"Ada"}',
  url: 'accept',
  sample: '{"type":"text","text":"Hm."}',
  tools: 'toolUse',
  roots: 'file:///home',
};

const all: ClientOptions = {
  elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  elicitUrl: () => ({ action: 'accept' }),
  sample: ({ tools }) =>
    tools
      ? {
          role: 'assistant',
          model: 'm',
          stopReason: 'toolUse',
          content: { type: 'tool_use', id: '1', name: 'look', input: {} },
        }
      : { role: 'assistant', model: 'm', content: { type: 'text', text: 'Hm.' } },
  sampleTools: true,
  roots: [{ uri: 'file:///home' }],
};

function rig({ needs = false } = {}) {
  const ran: string[] = [];
  const errors: string[] = [];
  const handler = async (kind: Kind, ctx: unknown) => {
    ran.push('before');
    const message = await ask[kind](ctx as Ctx);
    ran.push('after');
    return message;
  };
  const of = (kind: Kind) => (needs ? { requiredCapabilities: kinds[kind].needs } : {});
  const each = Object.keys(kinds) as Kind[];
  const server = createServer({
    name: 's',
    version: '1',
    onError: ({ code }) => void errors.push(code),
    tools: Object.fromEntries(each.map(kind => [kind, tool({ ...of(kind), run: (_, ctx) => handler(kind, ctx) })])),
    prompts: Object.fromEntries(each.map(kind => [kind, prompt({ ...of(kind), run: (_, ctx) => handler(kind, ctx) })])),
    resources: Object.fromEntries(
      each.map(kind => [`x:${kind}`, resource({ ...of(kind), read: (_, ctx) => handler(kind, ctx) })]),
    ),
  });
  return { server, ran, errors };
}

/** Asks for the same by a tool, a prompt and a resource. */
const backend = {
  'in a tool': async (client: Awaited<ReturnType<typeof connect>>, kind: Kind) => {
    const result = await client.callTool(kind);
    const { text } = result.content[0] as { text: string };
    if (result.isError) throw new Error(text);
    return text;
  },
  'in a prompt': async (client: Awaited<ReturnType<typeof connect>>, kind: Kind) => {
    const { messages } = await client.call('prompts/get', { name: kind });
    const [first] = messages as { content: { text: string } }[];
    return first?.content.text;
  },
  'in a read of a resource': async (client: Awaited<ReturnType<typeof connect>>, kind: Kind) => {
    const { contents } = await client.readResource(`x:${kind}`);
    return (contents[0] as { text: string }).text;
  },
};

describe.each(protocolVersions)('a server on %s', protocolVersion => {
  describe.each(Object.entries(backend))('with a handler that uses %s', (where, run) => {
    it.each(Object.keys(kinds) as Kind[])(
      'can request %s [mrtr.supported-methods mrtr.input-request-kinds]',
      async kind => {
        const { server, errors } = rig();
        const client = await connect(server, { protocolVersion, ...all });
        if (kinds[kind].since(protocolVersion)) {
          expect(await run(client, kind)).toBe(expected[kind]);
        } else {
          await expect(run(client, kind)).rejects.toThrow(/does not support/);
        }
        expect(errors).toEqual([]);
        await client.close();
      },
    );

    it.each(Object.keys(kinds) as Kind[])(
      'fails for a client that does not support %s [mrtr.capability-respected mrtr.capability-missing-error]',
      async kind => {
        const { server, ran } = rig();
        const client = await connect(server, { protocolVersion });
        const error = await run(client, kind).then(
          () => undefined,
          (reason: { rpcCode?: number; message: string; data?: unknown }) => reason,
        );
        if (byRetry(protocolVersion)) {
          expect(error).toMatchObject({ rpcCode: -32021, data: { requiredCapabilities: {} } });
        } else {
          expect(error?.message).toMatch(/The client does not support/);
          if (where !== 'in a tool') expect(error?.rpcCode).toBe(-32603);
        }
        expect(ran).toEqual(['before']);
        await client.close();
      },
    );

    it.each(Object.keys(kinds) as Kind[])(
      'refuses before the handler runs with `requiredCapabilities`: %s [meta.capability-missing-error]',
      async kind => {
        const { server, ran, errors } = rig({ needs: true });
        const without = await connect(server, { protocolVersion });
        const error = (await run(without, kind).catch(reason => reason)) as { rpcCode?: number; message: string };
        if (byRetry(protocolVersion)) {
          const elicitation = kind === 'form' ? { form: {} } : { url: {} };
          const sampling = kind === 'tools' ? { tools: {} } : {};
          const required = { form: { elicitation }, url: { elicitation }, roots: { roots: {} } } as object;
          const requiredCapabilities = (required as { [kind: string]: object })[kind] ?? { sampling };
          expect(error).toMatchObject({ rpcCode: -32021, data: { requiredCapabilities } });
        } else {
          expect(error.message).toMatch(/The client does not support (elicitation|sampling|roots)/);
        }
        await without.close();
        expect([ran, errors]).toEqual([[], []]);

        const client = await connect(server, { protocolVersion, ...all });
        if (kinds[kind].since(protocolVersion)) expect(await run(client, kind)).toBe(expected[kind]);
        else await expect(run(client, kind)).rejects.toThrow(/does not support/);
        await client.close();
      },
    );
  });

  it('sends several input requests in one round, and matches their responses [mrtr.input-requests-map mrtr.input-request-keys-unique]', async () => {
    let rounds = 0;
    const server = createServer({
      name: 's',
      version: '1',
      use: [
        (operation, next) => {
          if (operation.method === 'tools/call') rounds++;
          return next(operation);
        },
      ],
      tools: {
        all: tool({
          async run(_, ctx) {
            const each = (['form', 'sample', 'roots', 'form', 'tools', 'url'] as const).map(kind =>
              ask[kind](ctx as never),
            );
            return (await Promise.all(each)).join('; ');
          },
        }),
      },
    });
    const client = await connect(server, { protocolVersion, ...all });
    const result = await client.callTool('all');
    if (from('2025-11-25')(protocolVersion)) {
      const { form, sample, roots, tools, url } = expected;
      expect(result.content).toEqual([{ type: 'text', text: [form, sample, roots, form, tools, url].join('; ') }]);
      expect(rounds).toBe(byRetry(protocolVersion) ? 2 : 1);
    } else expect(result.isError).toBe(true);
    await client.close();
  });
});
