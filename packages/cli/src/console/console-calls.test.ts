import { connect, createServer, type JsonObject, tool } from 'tenon';
import { expect, it } from 'vitest';
import { ChangeFeed } from './change-feed.js';
import { ConsoleCalls } from './console-calls.js';
import { WireLog } from './wire-log.js';

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    count: tool({ input: { type: 'object' }, run: () => ({ content: [], structuredContent: { count: 1 } }) }),
    text: tool({ input: { type: 'object' }, run: () => 'no structured content' }),
    fails: tool({ input: { type: 'object' }, run: (_, ctx) => ctx.fail('It is broken.') }),
  },
});
const schema = { type: 'object', properties: { count: { type: 'string' } } };

it.each([
  ['count', schema, [expect.stringMatching(/^structuredContent\/count: .*string/)]],
  ['count', { type: 'object' }, []],
  ['count', undefined, null],
  ['text', schema, ['structuredContent: missing, although the tool has an output schema']],
  ['fails', schema, []],
] as const)(
  'lists the issues of the result of %s by an output schema [con.output]',
  async (name, outputSchema, issues) => {
    const calls = new ConsoleCalls(new ChangeFeed(), new WireLog(() => {}), () => {});
    await using client = await connect(server);
    const findOutputSchema = (): JsonObject | undefined => outputSchema;
    const params = { name, arguments: {} };
    const { id } = calls.start(
      { client, connection: 1, findOutputSchema },
      { server: 'fixture', method: 'tools/call', params },
    );
    await calls.waitForEnd(id);
    expect(calls.read(id)).toMatchObject({ state: 'done', issues });
  },
);
