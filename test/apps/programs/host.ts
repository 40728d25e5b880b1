/** Host page of the tests, with one connection to the test server. */
import { type AppView, appsExtension, showApp, type ViewOptions } from '@tenon/apps/host';
import { connect, type Tool } from 'tenon';

declare const document: { body: never };
declare const location: { origin: string };

let client = await connect(`${location.origin}/mcp`, { extensions: [appsExtension] });
const events: unknown[] = [];
const add = (name: string) => (value: unknown) => void events.push([name, value]);

async function show(toolName: string, sandboxUrl: string, more: Partial<ViewOptions> = {}): Promise<AppView> {
  let found: Tool | undefined;
  for await (const tool of client.listTools()) if (tool.name === toolName) found = tool;
  if (!found) throw new Error(`no tool ${toolName}`);
  return showApp(client, {
    container: document.body,
    sandboxUrl,
    tool: found,
    host: { name: 'test-host', version: '1.0.0' },
    context: { theme: 'dark', displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] },
    openLink: url => add('link')(url.href),
    sendMessage: add('message'),
    updateModelContext: add('model-context'),
    changeDisplayMode: mode => mode,
    log: (level, data) => add('log')([level, data]),
    onProblem: add('problem'),
    onSizeChange: size => add('size')(Object.keys(size)),
    onTeardownRequest: () => add('teardown-request')(undefined),
    onClose: add('close'),
    onMessage: ({ direction }) => add('traced')(direction),
    ...more,
  });
}

async function reconnect(protocolVersion: string): Promise<void> {
  await client.close();
  client = await connect(`${location.origin}/mcp`, { extensions: [appsExtension], protocolVersion });
  Object.assign(globalThis, { client });
}

Object.assign(globalThis, { client, events, show, reconnect });
