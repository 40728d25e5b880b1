import { connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { connectTo } from '../../packages/tenon/src/client/connect.js';
import { createClientEndpoint } from '../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { protocolVersions } from '../support/official-schema.js';
import { createExample, type Example } from './server.js';
import { createWire, recordRequester } from './wire.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const newest = '2026-07-28';

/** Many clients of one server, each with answers, a level and a name of its own. */
async function clients() {
  const server = createExample();
  const http = await serveHttp(server, { port: 0 });
  closing.push(() => http.close({ timeout: 0 }));
  const connections = protocolVersions.flatMap(version => [
    { version, transport: 'memory' as const },
    ...(version === '2024-11-05' ? [] : [{ version, transport: 'http' as const }]),
    ...(version === newest ? [] : [{ version, transport: 'http-sse' as const }]),
  ]);
  return Promise.all(
    connections.map(async ({ version, transport }, index) => {
      const name = `client-${index}`;
      const wire = createWire(version);
      const options = {
        protocolVersion: version,
        name,
        roots: [{ uri: `file:///${name}`, name }],
        elicit: () => ({ action: 'accept' as const, content: { yes: true } }),
        sample: () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: name }, model: name }),
      };
      const url = (transport === 'http-sse' ? http.sseUrl : http.url) ?? '';
      const endpoint = createClientEndpoint(
        { url, transport: transport === 'memory' ? 'http' : transport },
        recordRequester(createNodeRequester(), wire),
      );
      const client =
        transport === 'memory' ? await connect<Example>(server, options) : await connectTo<Example>(endpoint, options);
      closing.push(() => client.close());
      return { name, version, client, wire };
    }),
  );
}

const textOf = ({ content }: { content: { type: string; text?: string }[] }): string => content[0]?.text ?? '';

describe('clients of all protocol versions on one server at the same time', () => {
  it('get their own responses, and nothing of another [tools.list.not-per-connection, resources.list.not-per-connection, prompts.list.not-per-connection, pagination.cursor-stateless]', async () => {
    const all = await clients();
    const lists = await Promise.all(
      all.flatMap(({ name, version, client, wire }) =>
        [1, 2, 3].map(async round => {
          const reports: number[] = [];
          const works = client.callTool(
            'works',
            { steps: round },
            { onProgress: ({ progress }) => reports.push(progress) },
          );
          const [added, rooted, result, model] = await Promise.all([
            client.tools.add({ a: round, b: 1 }),
            client.callTool('rooted'),
            client.callTool('meta', {}, { meta: { 'com.example/who': `${name}/${round}` } }),
            client.callTool('samples'),
          ]);
          await works;
          expect(added).toEqual({ sum: round + 1, parts: [round, 1] });
          expect(textOf(rooted as never)).toContain(`file:///${name}"`);
          expect(JSON.parse(textOf(result as never))).toMatchObject({
            meta: { 'com.example/who': `${name}/${round}` },
            client: { name },
            version,
          });
          expect(textOf(model as never)).toContain(`"${name}"`);
          expect(reports).toEqual(Array.from({ length: round }, (_, index) => index + 1));
          const tools: string[] = [];
          for await (const tool of client.listTools()) tools.push(tool.name);
          expect(wire.issues).toEqual([]);
          return tools.join();
        }),
      ),
    );
    expect(new Set(lists).size).toBe(1);
  });

  it('get only the log messages that they requested [logging.request-scoped-stream]', async () => {
    const all = await clients();
    const received = new Map<string, string[]>();
    for (const [index, { name, client }] of all.entries()) {
      received.set(name, []);
      client.on('log', ({ level }) => received.get(name)?.push(level));
      await client.setLogLevel(index % 2 === 0 ? 'alert' : 'emergency');
    }
    await Promise.all(all.map(({ client }) => client.callTool('logs')));
    for (const [index, { name }] of all.entries())
      expect([name, received.get(name)]).toEqual([name, index % 2 === 0 ? ['alert', 'emergency'] : ['emergency']]);
  });

  it('get a change once if they subscribed to it', async () => {
    const all = await clients();
    const received = new Map<string, number>();
    for (const { name, client } of all)
      client.on(
        'change',
        change => 'list' in change && change.list === 'tools' && received.set(name, (received.get(name) ?? 0) + 1),
      );
    const sessions = all.filter(({ version }) => version !== newest);
    await all[0]?.client.callTool('grow');
    await expect.poll(() => sessions.filter(({ name }) => received.has(name)).length).toBe(sessions.length);
    await all[0]?.client.callTool('later');
    for (const { name, version } of all)
      expect([name, received.get(name)]).toEqual([name, version === newest ? undefined : 1]);
  });
});
