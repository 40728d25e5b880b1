import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, createServer, prompt, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGatewayHost } from '../host/create-host.js';
import { createStubContext } from '../host/fixtures/stub-context.js';
import { createInputMemory } from '../host/input-prompt.js';
import { readConfiguration } from '../host/read-configuration.js';
import { watchGateway } from './reload-gateway.js';

function createGate() {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

/** Starts a server whose tool `wait` responds when the test says so. All responses have the name of the server. */
async function startServer(name: string) {
  const gate = createGate();
  let waiting = 0;
  const wait = async () => {
    waiting += 1;
    await gate.opened;
    return name;
  };
  const service = createServer({
    name,
    version: '1.0.0',
    tools: { wait: tool({ run: wait }), name: tool({ run: () => name }) },
    prompts: { name: prompt({ run: () => name }) },
    resources: { 'note://name': { name: 'name', read: () => name } },
  });
  const { url, close } = await serveHttp(service, { port: 0, allowUnauthenticated: true });
  onTestFinished(() => close());
  return { url, finish: gate.open, getWaiting: () => waiting };
}

/** Starts a gateway of one server. The next configuration has an input, whose value the user types when the test says so. */
async function startGateway(url: string) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-reload-calls-'));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }));
  const write = (more: object) => writeFile(join(folder, 'mcp.json'), JSON.stringify(more));
  await write({ mcpServers: { notes: { url } } });
  const { context } = createStubContext(folder, () => 'Yes');
  const [asked, typed] = [createGate(), createGate()];
  const askText = async () => {
    asked.open();
    await typed.opened;
    return 'typed';
  };
  const inputs = createInputMemory({ ...context, terminal: { ...context.terminal, askText } });
  const configuration = await readConfiguration(context, [], { inputs });
  const audit = join(folder, 'audit.jsonl');
  const gateway = await createGatewayHost(context, configuration.entries, { lock: false, audit });
  onTestFinished(() => gateway.close());
  const readAt = Number.POSITIVE_INFINITY;
  const { entries } = configuration;
  const watch = await watchGateway(context, {
    ...{ gateway, configuration, readAt, entries, inputs, trust: false, json: false, stdio: true },
  });
  onTestFinished(() => watch.close());
  const moveTo = (next: string) =>
    write({
      inputs: [{ type: 'promptString', id: 'key', description: 'API key' }],
      mcpServers: { notes: { url: next, headers: { 'x-key': `\${input:key}` } } },
    });
  return { ...watch, moveTo, asked: asked.opened, type: typed.open, host: gateway.host };
}

const VERSIONS = ['2025-06-18', '2026-07-28'];

describe('a gateway that reads its configuration again', () => {
  it('completes open calls at the former server, and sends each other call to one that is open', async () => {
    const [former, next] = [await startServer('former'), await startServer('next')];
    const { reload, moveTo, asked, type, host } = await startGateway(former.url);
    const clients = await Promise.all(VERSIONS.map(protocolVersion => connect(host.toServer(), { protocolVersion })));
    onTestFinished(async () => void (await Promise.all(clients.map(client => client.close()))));
    const callAll = (send: (client: Client) => Promise<unknown>) => Promise.all(clients.map(send));
    const sendEach = (client: Client) =>
      Promise.all([
        client.callTool('notes__name'),
        client.getPrompt('notes__name'),
        client.readResource('note://name'),
      ]);
    const open = callAll(client => client.callTool('notes__wait'));
    await expect.poll(former.getWaiting).toBe(VERSIONS.length);

    await moveTo(next.url);
    const reloading = reload();
    await asked;
    const duringReload = await callAll(sendEach);
    type();
    await reloading;
    const whileDraining = await callAll(sendEach);
    former.finish();

    expect(await open).toMatchObject(VERSIONS.map(() => ({ content: [{ text: 'former' }] })));
    const toTexts = (results: unknown) => JSON.stringify(results).match(/former|next/g);
    expect(new Set(toTexts(duringReload))).toEqual(new Set(['former']));
    expect(new Set(toTexts(whileDraining))).toEqual(new Set(['next']));
  });
});
