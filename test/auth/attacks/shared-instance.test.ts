import { connect, createServer, type ElicitFormParams, tasks, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createIssuer, RESOURCE } from '../../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { type Fields, visitor } from '../served.js';

const PEOPLE = ['ada', 'eve'] as const;
type Person = (typeof PEOPLE)[number];

/** What only one of them may ever see. */
const secretOf = (principal: string | undefined) => `secret-of-${principal?.split('|')[1] ?? 'nobody'}`;

/** A place where calls wait, and leave in the wrong order: those that came last go first. */
function mixer() {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise<void>(resolve => {
      waiting.push(resolve);
      setTimeout(() => waiting.pop()?.(), (waiting.length * 7) % 5);
    });
}

/** Doors that a test opens, and behind which calls wait. */
function doors() {
  const open = new Map<string, () => void>();
  const arrived = new Map<string, () => void>();
  const once = (map: Map<string, () => void>, name: string) => new Promise<void>(resolve => map.set(name, resolve));
  return {
    async wait(name: string) {
      const opened = once(open, name);
      arrived.get(name)?.();
      await opened;
    },
    arrival: (name: string) => (open.has(name) ? Promise.resolve() : once(arrived, name)),
    open(name: string) {
      open.get(name)?.();
      open.delete(name);
      arrived.delete(name);
    },
  };
}

/** One server, one handler, two people; all that each of them is sent, byte for byte. */
async function shared() {
  const [issuer, mix, door] = [await createIssuer(), mixer(), doors()];
  const aborted: string[] = [];
  const only = (person: Person) =>
    tool({
      visible: ({ auth }) => auth?.principal.endsWith(`|${person}`) === true,
      run: (_, { auth }) => secretOf(auth?.principal),
    });
  const server = createServer({
    name: 'shared',
    version: '1',
    extensions: [tasks()],
    onError: () => {},
    tools: {
      say: tool({
        async run(_, ctx) {
          const secret = secretOf(ctx.auth?.principal);
          ctx.progress(1, 2, secret);
          ctx.log('info', secret);
          await mix();
          const { content } = await ctx.elicit({ message: secret, input: z.object({ word: z.string() }) });
          await mix();
          ctx.log('info', secret);
          ctx.progress(2, 2, secret);
          return `${secret} ${content?.word}`;
        },
      }),
      plain: tool({
        async run(_, { auth }) {
          await mix();
          return secretOf(auth?.principal);
        },
      }),
      wait: tool({
        async run(_, { auth, signal }) {
          const name = secretOf(auth?.principal);
          signal.addEventListener('abort', () => aborted.push(name));
          await door.wait(name);
          return name;
        },
      }),
      long: tool({
        task: 'optional',
        async run(_, { auth }) {
          await mix();
          return secretOf(auth?.principal);
        },
      }),
      'of-ada': only('ada'),
      'of-eve': only('eve'),
    },
  });
  const handler = createHandler(server, {
    auth: issuer.protect(),
    path: '/mcp',
    allowedHosts: ['mcp.example.com'],
    onError: () => {},
  });
  const tokens = { ada: await issuer.token({ sub: 'ada' }), eve: await issuer.token({ sub: 'eve' }) };
  const bytes: Record<Person, string[]> = { ada: [], eve: [] };
  const fetchAs = (person: Person) => async (url: string, init: object) => {
    const request = new Request(url, init);
    // As an HTTP client does: a body of unknown length counts as the largest that is allowed.
    const body: unknown = 'body' in init ? init.body : undefined;
    if (typeof body === 'string') request.headers.set('content-length', String(Buffer.byteLength(body)));
    const response = await handler(request);
    const result = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, onward) {
        bytes[person].push(new TextDecoder().decode(piece));
        onward.enqueue(piece);
      },
    });
    return new Response(response.body?.pipeThrough(result) ?? null, response);
  };
  const client = (person: Person, protocolVersion: string) =>
    connect(
      { url: RESOURCE, auth: tokens[person], fetch: fetchAs(person) as never },
      {
        protocolVersion,
        logLevel: 'debug',
        elicit: ({ message }: ElicitFormParams) => ({
          action: 'accept',
          content: { word: `${message}-to-${person}` },
        }),
      },
    );
  const as = (person: Person): Fields => ({ authorization: `Bearer ${tokens[person]}` });
  return { server, handler, door, aborted, bytes, client, as, ...visitor(request => handler(request), RESOURCE) };
}

const other = (person: Person): Person => (person === 'ada' ? 'eve' : 'ada');

/**
 * CVE-2026-25536: one server object behind several connections kept what belonged to a request by what the client had
 * chosen, its id, and answered one client with what was another's.
 */
describe('a server that two users share', () => {
  it('delivers no response, notification, input request, task or list to the other user', async () => {
    const { client, bytes, server, handler } = await shared();
    const own = await connect(server, { elicit: () => ({ action: 'accept', content: { word: 'of-nobody' } }) });
    const clients = await Promise.all(
      PEOPLE.flatMap(person =>
        ['2025-06-18', '2025-11-25', '2026-07-28', '2026-07-28'].map(async version => ({
          person,
          client: await client(person, version),
        })),
      ),
    );
    const work = Array.from({ length: 12 }, (_, round) =>
      clients.flatMap(({ person, client }) => {
        const secret = `secret-of-${person}`;
        return [
          async () => {
            const received: (string | undefined)[] = [];
            const onProgress = ({ message }: { message?: string }) => void received.push(message);
            const { content } = await client.callTool('say', {}, { onProgress });
            expect(content).toEqual([{ type: 'text', text: `${secret} ${secret}-to-${person}` }]);
            expect(new Set(received)).toEqual(new Set([secret]));
          },
          async () => {
            const { content } = await client.callTool(round % 2 ? 'plain' : 'long');
            expect(content).toEqual([{ type: 'text', text: secret }]);
          },
          async () => {
            const names: string[] = [];
            for await (const { name } of client.listTools()) names.push(name);
            expect(names.filter(name => name.startsWith('of-'))).toEqual([`of-${person}`]);
          },
        ];
      }),
    ).flat();
    const inProcess = async () => {
      const { content } = await own.callTool('say');
      expect(content).toEqual([{ type: 'text', text: 'secret-of-nobody of-nobody' }]);
    };
    await Promise.all([...work, inProcess, inProcess].map(each => each()));
    for (const { client } of clients) await client.close();
    await own.close();
    await handler.close({ timeout: 0 });
    for (const person of PEOPLE) {
      const all = bytes[person].join('');
      // Both wires were at work: notifications and questions as requests and as results, and tasks.
      for (const word of [
        'notifications/progress',
        'notifications/message',
        '"elicitation/create"',
        'inputRequests',
        'taskId',
      ])
        expect([word, all.includes(word)]).toEqual([word, true]);
      expect(all).toContain(`secret-of-${person}`);
      expect(all).not.toMatch(new RegExp(`of-(${other(person)}|nobody)`));
    }
    server.close();
  });

  it('delivers responses with equal ids to the right user in any order', async () => {
    const { open, within, alone, as, door } = await shared();
    const params = { name: 'wait', arguments: {} };
    const [hers, serverVersion] = [await open(as('ada')), await open(as('eve'))];
    const modes = [
      (person: Person) => alone('tools/call', params, as(person)),
      (person: Person) => within(person === 'ada' ? hers : serverVersion, 'tools/call', params, as(person)),
    ];
    for (const first of modes) {
      for (const second of modes) {
        const ada = first('ada');
        await door.arrival('secret-of-ada');
        const eve = second('eve');
        await door.arrival('secret-of-eve');
        door.open('secret-of-eve');
        expect((await eve).text).toContain('secret-of-eve');
        door.open('secret-of-ada');
        expect((await ada).text).toContain('secret-of-ada');
        expect([(await ada).text.includes('of-eve'), (await eve).text.includes('of-ada')]).toEqual([false, false]);
      }
    }
  });

  it('keeps the call of one user when the other cancels the same id', async () => {
    const { open, within, as, door, aborted, send } = await shared();
    const params = { name: 'wait', arguments: {} };
    const sessions = { ada: await open(as('ada')), eve: await open(as('eve')) };
    const ada = within(sessions.ada, 'tools/call', params, as('ada'));
    await door.arrival('secret-of-ada');
    const cancelled = await send({
      method: 'POST',
      headers: {
        ...as('eve'),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessions.eve,
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }),
    });
    expect(cancelled.status).toBe(202);
    door.open('secret-of-ada');
    expect((await ada).text).toContain('secret-of-ada');
    expect(aborted).toEqual([]);
  });

  it('ignores a response with the id of an input request to the other user', async () => {
    const { open, handler, within, as } = await shared();
    const sessions = { ada: await open(as('ada')), eve: await open(as('eve')) };
    const post = (person: Person, message: object) =>
      handler(
        new Request(RESOURCE, {
          method: 'POST',
          headers: {
            ...as(person),
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': sessions[person],
            'mcp-protocol-version': '2025-06-18',
          },
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        }),
      );
    const call = { id: 1, method: 'tools/call', params: { name: 'say', arguments: {} } };
    const reader = (await post('ada', call)).body?.getReader();
    let text = '';
    const until = async (found: RegExp) => {
      while (!found.test(text)) text += new TextDecoder().decode((await reader?.read())?.value);
      return found.exec(text)?.[1];
    };
    const line = await until(/^data: (.*"elicitation\/create".*)$/m);
    const { id } = JSON.parse(String(line));
    const answer = (word: string) => ({ id, result: { action: 'accept', content: { word } } });
    await (await post('eve', answer('word-of-eve'))).text();
    // Whatever comes of hers has come by the time that another request of hers is answered.
    expect((await within(sessions.eve, 'ping', {}, as('eve'))).status).toBe(200);
    expect((await post('ada', answer('word-of-ada'))).status).toBe(202);
    await until(/^data: (.*"result".*)$/m);
    expect(text).toContain('secret-of-ada word-of-ada');
    expect(text).not.toContain('of-eve');
    await handler.close({ timeout: 0 });
  });

  it('hides a task from the other user, in lists and by its id', async () => {
    const { client, server } = await shared();
    const [ada, eve] = [await client('ada', '2025-11-25'), await client('eve', '2025-11-25')];
    const listed = async (by: typeof ada) => {
      const ids: string[] = [];
      for await (const { taskId } of by.tasks.list()) ids.push(taskId);
      return ids;
    };
    const taskId = String((await ada.tasks.start('long', {})).id);
    expect([await listed(ada), await listed(eve)]).toEqual([[taskId], []]);
    await expect(eve.tasks.get(taskId)).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(eve.tasks.cancel(taskId)).rejects.toThrow();
    expect((await ada.tasks.get(taskId)).status).not.toBe('cancelled');
    await Promise.all([ada.close(), eve.close()]);
    server.close();
  });
});
