/** A host and a page, with the types of a browser. */
import { showApp } from '@tenon/apps/host';
import { connectToHost } from '@tenon/apps/page';
import { connect, createServer, tool } from 'tenon';

const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
const server = createServer({ name: 'a', version: '1.0.0', tools: { add: tool({ output, run: () => ({ sum: 3 }) }) } });

export async function show(container: HTMLElement): Promise<void> {
  const client = await connect('https://a.example/mcp');
  for await (const tool of client.listTools()) {
    const view = await showApp(client, { container, sandboxUrl: 'https://b.example', tool, host: server.info });
    await view.ready;
  }
}

export async function open(): Promise<number> {
  const host = await connectToHost<typeof server>({ name: 'page', version: '1.0.0' });
  // @ts-expect-error The server has no such tool.
  await host.tools.subtract?.();
  const { sum } = await host.tools.add();
  return sum;
}
