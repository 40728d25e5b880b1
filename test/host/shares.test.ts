import { afterEach, describe, expect, it } from 'vitest';
import { createHost, type Host } from '../../packages/host/src/index.node.js';
import { connect, createServer, tool } from '../../packages/tenon/src/index.node.js';
import { type HttpServer, serveHttp } from '../../packages/tenon/src/runtimes/node/http/http-server.js';

const closing: { close(): unknown }[] = [];
const later = <T extends { close(): unknown }>(thing: T): T => {
  closing.unshift(thing);
  return thing;
};
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

/** A gateway in front of one server whose calls wait until the test lets them end. */
async function open(): Promise<{ gateway: HttpServer; host: Host; waiting: () => number; end: () => void }> {
  const ends: (() => void)[] = [];
  const wait = tool({ run: () => new Promise<string>(resolve => ends.push(() => resolve('done'))) });
  const quick = tool({ run: () => 'quick' });
  const service = createServer({ name: 'slow', version: '1', tools: { wait, quick } });
  const host = later(await createHost({ servers: { slow: { service } }, prefix: 'never', maxConnectionsPerServer: 6 }));
  const gateway = later(
    await serveHttp(host.toServer(), {
      port: 0,
      authorize: facts => {
        const principal = facts.header('x-user');
        return { auth: principal === undefined ? undefined : { principal } };
      },
      clientAddress: facts => facts.header('x-address') ?? facts.remote,
    }),
  );
  return { gateway, host, waiting: () => ends.length, end: () => ends.splice(0).forEach(each => each()) };
}

describe('a gateway with a greedy caller', () => {
  it.each([
    ['one user', { 'x-user': 'eve' }, { 'x-user': 'ada' }],
    ['one address', { 'x-address': '192.0.2.1' }, { 'x-address': '192.0.2.2' }],
  ])('serves others while %s uses as many connections to a server as it can', async (_, eve, ada) => {
    const { gateway, waiting, end } = await open();
    const connectAs = async (headers: Record<string, string>) =>
      later(await connect({ url: gateway.url, headers }, { protocolVersion: '2025-11-25', idleTimeout: 60_000 }));
    const attackers = await Promise.all(Array.from({ length: 8 }, () => connectAs(eve)));
    const calls = attackers.map(client => client.callTool('wait').catch((error: Error) => error.message));
    await expect.poll(waiting).toBe(3);
    const victim = await connectAs(ada);
    expect((await victim.callTool('quick')).content).toMatchObject([{ text: 'quick' }]);
    end();
    const answers = await Promise.all(calls);
    expect(answers.filter(answer => typeof answer !== 'string')).toHaveLength(3);
  });
});
