import { createHost, type HostOptions } from '@tenon/host';
import { connect, createServer, prompt, resource, type ServerDefinition, type TenonError, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { VERSIONS } from './guard/guarded-host.js';

const NEWEST = '2026-07-28';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

const createNotes = (name: string) =>
  createServer({
    name,
    version: '1.0.0',
    tools: { [`count-${name}`]: tool({ run: () => name }) },
    prompts: {
      [`draft-${name}`]: prompt({ input: z.object({ who: z.string() }), complete: { who: [name] }, run: () => name }),
    },
    resources: {
      [`note://${name}`]: resource({ read: () => name }),
      'box://{id}': resource({ complete: { id: [name] }, list: () => [], read: () => name }),
    },
  } as ServerDefinition);

async function open(names: readonly string[], options: Partial<HostOptions> = {}) {
  const errors: TenonError[] = [];
  const servers = Object.fromEntries(names.map(name => [name, { service: createNotes(name) }]));
  const host = await createHost({ servers, prefix: 'never', onError: error => void errors.push(error), ...options });
  onTestFinished(() => host.close());
  return { host, errors };
}

describe.each(VERSIONS)('a completion for a template of two servers, on %s', protocolVersion => {
  it('is refused with the names of both, and works with the template of the list', async () => {
    const { host } = await open(['a', 'b']);
    const client = await connect(host.toServer(), { protocolVersion });
    onTestFinished(() => client.close());
    const complete = (uri: string) =>
      client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: '' } });
    const { resourceTemplates } = await client.call('resources/templates/list');
    const own = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(own).toHaveLength(2);
    await expect(complete('box://{id}')).rejects.toMatchObject({
      rpcCode: -32602,
      summary: 'Several servers have box://{id}: a, b. Use the URI of resources/templates/list, which names the server',
    });
    expect(await Promise.all(own.map(each => complete(each)))).toMatchObject([{ values: ['a'] }, { values: ['b'] }]);
    await expect(complete('other://{id}')).rejects.toMatchObject({ rpcCode: expect.any(Number) });
  });
});

it('names the servers of the host in the report of a selection with an unknown one', async () => {
  const { host, errors } = await open(['a', 'b']);
  host.toServer({ servers: ['note'] });
  host.toServer({ servers: ['a', 'c/count'] });
  expect(errors.map(({ code, summary, expected }) => [code, summary, expected])).toEqual([
    ['host/no-such-server', 'server "note" not found', 'a, b'],
    ['host/no-such-server', 'server "c" not found', 'a, b'],
  ]);
});

it('has the name of the gateway in each of its results, and not that of the server behind it', async () => {
  const { host } = await open(['a'], { name: 'gate' });
  const infos: unknown[] = [];
  const client = await connect(host.toServer(), {
    protocolVersion: NEWEST,
    onMessage: (from, message) => {
      if (from !== 'server' || !('result' in message)) return;
      infos.push((message.result._meta as Record<string, unknown> | undefined)?.[SERVER_INFO]);
    },
  });
  onTestFinished(() => client.close());
  await client.callTool('count-a');
  await client.getPrompt('draft-a', { who: 'x' });
  await client.readResource('note://a');
  await client.complete({ ref: { type: 'ref/prompt', name: 'draft-a' }, argument: { name: 'who', value: '' } });
  await client.call('tools/list');
  expect(infos.length).toBeGreaterThan(5);
  for (const info of infos) expect(info).toMatchObject({ name: 'gate' });
});
