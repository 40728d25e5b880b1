import type { AuthInfo } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../tenon/src/client/client.js';
import { connectTo } from '../../../tenon/src/client/connect.js';
import { createTransportEndpoint } from '../../../tenon/src/client/connection/endpoint.js';
import type { ClientOptions } from '../../../tenon/src/client/options.js';
import { tasks } from '../../../tenon/src/extensions/tasks/tasks.js';
import type { InputRequiredResult } from '../../../tenon/src/protocol/input-requests.js';
import type { RequestHandler } from '../../../tenon/src/protocol/request-handler.js';
import { tool } from '../../../tenon/src/server/definitions/tool.js';
import { createServer } from '../../../tenon/src/server/server.js';
import { createTransportPair } from '../../../tenon/src/transports/memory.js';
import { deferred } from '../connections/fixtures/stand-in.js';
import type { Host } from '../host.js';
import { createHost } from '../index.js';

/** A server that counts the calls that it gets, and asks its caller. */
function asking(protocolVersions: readonly string[]) {
  const calls: string[] = [];
  let lines = 0;
  const server = createServer({
    name: 'asking',
    version: '1',
    protocolVersions,
    tools: {
      ask: tool({
        run: async (_, context) => {
          calls.push('ask');
          const input = { type: 'object', properties: { name: { type: 'string' } } } as const;
          const answer = await context.elicit({ message: 'Who are you?', input });
          return JSON.stringify(answer);
        },
      }),
    },
  });
  const service = async () => {
    lines += 1;
    const pair = createTransportPair();
    await server.connect(pair.server);
    return pair.client;
  };
  return { calls, service, lines: () => lines };
}

/** A client of a host, whoever it is said to be. */
function guest(host: Host, options: ClientOptions, principal?: string): Promise<Client> {
  const server: RequestHandler = host.toServer();
  const auth = principal === undefined ? undefined : ({ principal } as unknown as AuthInfo);
  const endpoint = createTransportEndpoint(async () => {
    const pair = createTransportPair();
    await server.connect(pair.server, auth ? { auth } : {});
    return pair.client;
  });
  return connectTo(endpoint, options);
}
const answersAs = (name: string, requests: string[]): ClientOptions => ({
  elicit: ({ message }) => {
    requests.push(`${name}: ${message}`);
    return { action: 'accept', content: { name } };
  },
});

describe('a repeated call at a gateway', () => {
  const begun = async () => {
    const { calls, service } = asking(['2025-11-25']);
    const keys = [{ id: 'k', key: new Uint8Array(32).fill(7) }];
    const begin = () =>
      createHost({ prefix: 'auto', servers: { asking: { service } }, inputRequests: { keys }, onError: () => {} });
    const hosts = [await begin(), await begin()] as const;
    const options: ClientOptions = { protocolVersion: '2026-07-28', elicit: () => ({ action: 'cancel' }) };
    const clients = [await guest(hosts[0], options), await guest(hosts[1], options)] as const;
    const params = { name: 'ask', arguments: {} };
    const firstResult = (await clients[0].call('tools/call', params, {
      resolveInputRequests: false,
    })) as unknown as InputRequiredResult;
    const [key] = Object.keys(firstResult.inputRequests ?? {});
    const inputResponses = { [key as string]: { action: 'accept', content: { name: 'Ada' } } };
    const again = { ...params, inputResponses, requestState: firstResult.requestState } as never;
    const close = () => Promise.all([...clients, ...hosts].map(each => each.close()));
    return {
      calls,
      close,
      retryAt: (which: 0 | 1) => clients[which].call('tools/call', again, { resolveInputRequests: false }),
    };
  };

  it('continues, and the server is called once', async () => {
    const { calls, retryAt, close } = await begun();
    expect(calls).toEqual(['ask']);
    expect(JSON.stringify(await retryAt(0))).toContain('Ada');
    expect(calls).toEqual(['ask']);
    await close();
  });

  it('is rejected with the reason where it is unknown, and not sent again', async () => {
    const { calls, retryAt, close } = await begun();
    await expect(retryAt(1)).rejects.toMatchObject({
      rpcCode: -32603,
      summary: expect.stringMatching(/"asking".*may have been carried out, and is not sent again/),
    });
    expect(calls).toEqual(['ask']);
    await close();
  });
});

describe('callers of one host', () => {
  it.each([
    ['2026-07-28', '2025-11-25'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2026-07-28'],
  ])(
    'have connections of their own for each principal on %s, and get the input requests of their own calls',
    async (protocolVersion, serverVersion) => {
      const { service, lines } = asking([serverVersion]);
      const host = await createHost({ prefix: 'auto', servers: { asking: { service } }, onError: () => {} });
      const requests: string[] = [];
      const guests = await Promise.all(
        ['ada', 'bob'].map(name => guest(host, { ...answersAs(name, requests), protocolVersion }, name)),
      );
      const results = await Promise.all(guests.flatMap(each => [each.callTool('ask'), each.callTool('ask')]));
      expect(results.map(result => /ada|bob/.exec(JSON.stringify(result))?.[0])).toEqual(['ada', 'ada', 'bob', 'bob']);
      expect(requests.filter(each => each.startsWith('ada'))).toHaveLength(2);
      expect(lines()).toBe(2);
      await Promise.all([...guests, host].map(each => each.close()));
    },
  );

  it('share no connection between two sessions of one principal', async () => {
    const { service, lines } = asking(['2025-11-25']);
    const host = await createHost({ prefix: 'auto', servers: { asking: { service } }, onError: () => {} });
    const requests: string[] = [];
    const names = ['first', 'second'];
    const guests = await Promise.all(
      names.map(name => guest(host, { ...answersAs(name, requests), protocolVersion: '2025-11-25' }, 'ada')),
    );
    const results = await Promise.all(guests.map(each => each.callTool('ask')));
    expect(results.map(result => /first|second/.exec(JSON.stringify(result))?.[0])).toEqual(names);
    expect(lines()).toBe(2);
    await Promise.all([...guests, host].map(each => each.close()));
  });
});

describe('a log message of a server', () => {
  const begun = async (share: boolean) => {
    const end = deferred<string>();
    let begins = 0;
    const tools = {
      waits: tool({
        task: 'optional',
        run: () => {
          begins += 1;
          return end.promise;
        },
      }),
      says: tool({
        run: (_, { log }) => {
          log('warning', 'said');
          return 'over';
        },
      }),
    };
    const server = createServer({
      name: 'tells',
      version: '1',
      protocolVersions: ['2025-11-25'],
      extensions: [tasks()],
      tools,
    });
    const service = async () => {
      const pair = createTransportPair();
      await server.connect(pair.server);
      return pair.client;
    };
    const host = await createHost({ prefix: 'never', servers: { tells: { service, share } }, onError: () => {} });
    const received: string[] = [];
    const join = async (name: string) => {
      const client = await guest(host, { protocolVersion: '2025-11-25', logLevel: 'debug' }, 'ada');
      client.on('log', ({ data }) => received.push(`${name} ${data}`));
      return client;
    };
    const clients = [await join('one'), await join('two')] as const;
    const task = await clients[0].tasks.start('waits', {});
    await expect.poll(() => begins).toBe(1);
    const close = async () => {
      end.resolve('done');
      await task.result();
      await Promise.all([...clients, host].map(each => each.close()));
    };
    return { clients, received, close };
  };

  it.each([false, true])('reaches the session of a call while a task of that session runs, share: %s', async share => {
    const { clients, received, close } = await begun(share);
    await clients[0].callTool('says');
    expect(received).toEqual(['one said']);
    await close();
  });

  it('reaches no session while a task of another session runs on the same connection', async () => {
    const { clients, received, close } = await begun(true);
    await clients[1].callTool('says');
    expect(received).toEqual([]);
    await close();
  });
});
