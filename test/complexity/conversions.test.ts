import { createServer, type Server, tool } from 'tenon';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { connections } from './connections.js';
import { createMany } from './workload.js';

const SIZE = 100;

/** A server whose schemas count how often they are made into JSON Schema. */
function counted() {
  let conversions = 0;
  const schema = () => {
    const own = z.object({ text: z.string() });
    const { jsonSchema } = own['~standard'];
    const input = (target: Parameters<typeof jsonSchema.input>[0]) => {
      conversions += 1;
      return jsonSchema.input(target);
    };
    return { '~standard': { ...own['~standard'], jsonSchema: { ...jsonSchema, input } } };
  };
  const tools = createMany(SIZE, 'tool', () => tool({ input: schema(), run: () => 'done' }));
  const server: Server = createServer({ name: 'counted', version: '1.0.0', tools }) as never;
  return { server, conversions: () => conversions };
}

it('converts a schema once, on any number of lists and transports', async () => {
  const { server, conversions } = counted();
  for (const connect of Object.values(connections)) {
    const { request, close } = await connect(server);
    for (let time = 0; time < 3; time++) {
      expect(((await request('tools/list', {})) as { tools: unknown[] }).tools).toHaveLength(SIZE);
    }
    await close();
  }
  expect(conversions()).toBe(SIZE);
});
