import { caching, tasks, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { createIssuer, ISSUER } from '../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { type Fields, served } from './served.js';

/** Two people with every scope there is. */
async function two(...options: Parameters<typeof served>) {
  const on = await served(...options);
  const scope = 'notes:read notes:write notes:deep';
  return { ...on, ada: await on.bearer({ scope }), eve: await on.bearer({ scope, sub: 'eve' }) };
}

const call = (name: string, more = {}) => ({ name, arguments: {}, ...more });

describe('a user', () => {
  it('cannot use a session of another user, as if it did not exist', async () => {
    const { open, within, send, ada, eve } = await two();
    const session = await open(ada);
    const made = '00000000-0000-4000-8000-000000000000';
    const asks = [
      (id: string) => within(id, 'tools/call', call('whoami'), eve),
      (id: string) => send({ headers: { ...eve, 'mcp-session-id': id, accept: 'text/event-stream' } }),
      (id: string) =>
        send({ headers: { ...eve, 'mcp-session-id': id, accept: 'text/event-stream', 'last-event-id': '0-1' } }),
      (id: string) => send({ method: 'DELETE', headers: { ...eve, 'mcp-session-id': id } }),
    ];
    for (const ask of asks) {
      const [hers, none] = [await ask(session), await ask(made)];
      expect([hers.status, hers.text]).toEqual([404, none.text]);
    }
    expect((await within(session, 'tools/call', call('whoami'), ada)).text).toContain(`${ISSUER}|ada`);
  });

  it('cannot use a session of a user with the same name at another issuer', async () => {
    const other = await createIssuer('https://other.example.com');
    const { open, within, issuer, ada } = await two({ issuers: [ISSUER, 'https://other.example.com'] });
    for (const [url, document] of other.site) issuer.site.set(url, document);
    const foreign = { authorization: `Bearer ${await other.token({ sub: 'ada' })}` };
    expect((await within(await open(ada), 'ping', {}, foreign)).status).toBe(404);
    expect((await within(await open(foreign), 'ping', {}, foreign)).status).toBe(200);
  });

  it('cannot use requestState of another user [elicitation.state.user-from-credentials]', async () => {
    const { alone, ada, eve } = await two();
    const { body } = await alone('tools/call', call('ask'), ada);
    const { requestState, inputRequests = {} } = body.result as { requestState: string; inputRequests?: object };
    const answer = { action: 'accept', content: { yes: true } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map(key => [key, answer]));
    const retry = call('ask', { requestState, inputResponses });
    expect((await alone('tools/call', retry, eve)).body.error?.code).toBe(-32602);
    expect((await alone('tools/call', retry, ada)).text).toContain('accept');
  });

  it('cannot use a task of another user', async () => {
    const { alone, server, ada, eve } = await two({}, { extensions: [tasks()] });
    server.tools.set('slow', tool({ task: 'required', run: (_, { auth }) => `for ${auth?.principal}` }));
    const { body } = await alone('tools/call', call('slow'), ada);
    const taskId = String(body.result?.taskId);
    const unknown = (await alone('tasks/get', { taskId: 'made-up' }, eve)).body.error;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = (await alone(method, { taskId, inputResponses: {} }, eve)).body;
      expect(error?.code).toBe(unknown?.code);
    }
    const { text } = await alone('tasks/get', { taskId }, ada);
    expect(text).toContain(taskId);
    // What is kept of the caller is no token.
    expect(text).not.toContain(ada.authorization?.slice(-20));
    server.close();
  });

  it('cannot resume the streams of another user', async () => {
    const { open, handler, within, server, ada, eve } = await two();
    const [hers, others] = [await open(ada), await open(eve)];
    expect((await within(hers, 'resources/subscribe', { uri: 'note://secret' }, ada)).status).toBe(200);
    const listen = (session: string, as: Fields) =>
      handler(
        new Request('https://mcp.example.com/mcp', {
          headers: { ...as, accept: 'text/event-stream', 'mcp-session-id': session },
        }),
      );
    expect((await listen(hers, eve)).status).toBe(404);
    const [result, overheard] = [await listen(hers, ada), await listen(others, eve)];
    server.notifyResourceUpdated('note://secret');
    const reader = result.body?.getReader();
    let text = '';
    while (!text.includes('note://secret')) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) break;
      text += new TextDecoder().decode(chunk.value);
    }
    expect(text).toContain('note://secret');
    await handler.close({ timeout: 0 });
    expect(await overheard.text()).not.toContain('note://secret');
  });

  it('gets no cached result of another user', async () => {
    const { alone, ada, eve } = await two({}, { use: [caching({ ttl: 60_000, tools: ['whoami'] })] });
    const getRequests = async (as: Fields) => (await alone('tools/call', call('whoami'), as)).text;
    expect(
      [await getRequests(ada), await getRequests(ada), await getRequests(eve)].map(text => /\|(\w+)/.exec(text)?.[1]),
    ).toEqual(['ada', 'ada', 'eve']);
  });

  it('gets its own identity from the token cache', async () => {
    const { alone, bearer } = await two();
    for (const sub of ['ada', 'eve', 'ada', 'bob']) {
      expect((await alone('tools/call', call('whoami'), await bearer({ sub }))).text).toContain(`|${sub}`);
    }
  });
});
