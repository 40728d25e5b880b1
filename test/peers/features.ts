import type { Client } from 'tenon';

/** A feature of servers, tried with our client, directly and through the gateway. */
export interface Feature {
  readonly name: string;
  /** Tries it, and returns what is compared with `expected`. */
  readonly run: (client: Client, names: Names) => Promise<unknown>;
  readonly expected: unknown;
}

/** Names of a server's entries as a client sees them: a gateway adds a prefix. */
export interface Names {
  tool(name: string): string;
  prompt(name: string): string;
}

async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

const getText = ({ content }: { readonly content: readonly unknown[] }): string =>
  content
    .map(block => (typeof block === 'object' && block !== null && 'text' in block ? String(block.text) : ''))
    .join('');

const callText = async (client: Client, name: string, args = {}): Promise<string> =>
  getText(await client.callTool(name, args));

/** The features of the servers of both official SDKs in `test/interop/fixtures`. */
export const sdkFeatures: readonly Feature[] = [
  {
    name: 'structured results',
    run: async (client, { tool }) => (await client.callTool(tool('add'), { a: 2, b: 3 })).structuredContent,
    expected: { sum: 5 },
  },
  {
    name: 'kinds of content',
    run: async (client, { tool }) => (await client.callTool(tool('blocks'), {})).content.map(({ type }) => type),
    expected: ['text', 'image', 'audio', 'resource', 'resource_link'],
  },
  {
    name: 'results with isError',
    run: async (client, { tool }) => (await client.callTool(tool('fails'), {})).isError,
    expected: true,
  },
  {
    name: 'progress',
    run: async (client, { tool }) => {
      const reports: number[] = [];
      await client.callTool(tool('paced'), {}, { onProgress: ({ progress }) => void reports.push(progress) });
      return reports;
    },
    expected: [1, 2, 3],
  },
  {
    name: 'cancellation',
    run: async (client, { tool }) => {
      const controller = new AbortController();
      const waiting = client.callTool(
        tool('waits'),
        { name: 'x' },
        { signal: controller.signal, onProgress: () => controller.abort() },
      );
      return waiting.then(
        () => 'answered',
        () => 'cancelled',
      );
    },
    expected: 'cancelled',
  },
  {
    name: 'resources in pages',
    run: async client => (await collect(client.listResources())).length,
    expected: 5,
  },
  {
    name: 'texts of resources',
    run: async client => (await client.readResource('note://by/b')).contents.map(each => 'text' in each && each.text),
    expected: ['second'],
  },
  {
    name: 'binary resources',
    run: async client => (await client.readResource('note://picture')).contents.map(each => 'blob' in each),
    expected: [true],
  },
  {
    name: 'resource templates',
    run: async client => (await collect(client.listResourceTemplates())).map(({ uriTemplate }) => uriTemplate),
    expected: ['note://by/{title}'],
  },
  {
    name: 'prompts',
    run: async (client, { prompt }) => {
      const { messages } = await client.getPrompt(prompt('letter'), { to: 'Ada' });
      return getText({ content: messages.map(({ content }) => content) });
    },
    expected: 'A letter to Ada.',
  },
  {
    name: 'completion',
    run: async (client, { prompt }) =>
      (
        await client.complete({
          ref: { type: 'ref/prompt', name: prompt('letter') },
          argument: { name: 'to', value: 'A' },
        })
      ).values,
    expected: ['Ada', 'Alan'],
  },
  {
    name: 'elicitation',
    run: async (client, { tool }) => JSON.parse(await callText(client, tool('ask'))).content,
    expected: { name: 'Ada', size: 'small' },
  },
  {
    name: 'sampling',
    run: async (client, { tool }) => /You said: hello/.test(await callText(client, tool('think'))),
    expected: true,
  },
];

/** The features of a server with the tool `echo` only. */
export const toolFeatures: readonly Feature[] = [
  {
    name: 'tools',
    run: async (client, { tool }) => (await collect(client.listTools())).some(({ name }) => name === tool('echo')),
    expected: true,
  },
  {
    name: 'calls',
    run: (client, { tool }) => callText(client, tool('echo'), { text: 'Grüße 🜚' }),
    expected: 'Grüße 🜚',
  },
  {
    name: 'refused arguments',
    run: async (client, { tool }) =>
      client.callTool(tool('echo'), { text: 5 }).then(
        ({ isError }) => isError === true,
        () => true,
      ),
    expected: true,
  },
  {
    name: 'calls side by side',
    run: (client, { tool }) => Promise.all(['a', 'b', 'c'].map(each => callText(client, tool('echo'), { text: each }))),
    expected: ['a', 'b', 'c'],
  },
];
