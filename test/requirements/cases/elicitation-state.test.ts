import { createServer, inputRequired, tool } from 'tenon';
import type { HandlerOptions } from 'tenon/http';
import { describe, expect, it } from 'vitest';
import { type Json, postAlone, session, site } from './site.js';

const input = { type: 'object', properties: { pin: { type: 'string' } } } as const;
const form = { elicitation: {} };

const server = () =>
  createServer({
    name: 's',
    version: '1',
    tools: {
      ask: tool({
        async run(_, ctx) {
          const first = await ctx.elicit({ message: 'Your favourite colour?', input });
          const second = await ctx.elicit({ message: 'And now?', input });
          return `${ctx.auth?.principal}: ${first.content?.pin} ${second.content?.pin}`;
        },
      }),
      own: tool({
        run: (_, { inputs }) =>
          inputs.requestState
            ? `state ${inputs.requestState}`
            : inputRequired({ inputRequests: { a: { method: 'roots/list' } }, requestState: 'mine' } as never),
      }),
    },
    onError: () => {},
  });

/** Everyone is who the header says. */
const authorize: HandlerOptions['authorize'] = facts => {
  const principal = facts.header('x-user');
  return principal === undefined ? { status: 401 } : { auth: { principal } };
};

const resultOf = (answer: { messages: readonly Json[] }) =>
  answer.messages.at(-1)?.result as Json & {
    inputRequests: Json;
    requestState: string;
  };
const accept = (key: string, pin: string): Json => ({
  inputResponses: { [key]: { action: 'accept', content: { pin } } },
});

describe('requestState of an input request', () => {
  const opened = async () => {
    const url = await site(server(), { authorize });
    const ask = (user: string, more: Json = {}, args: Json = {}) =>
      postAlone(
        url,
        'tools/call',
        { name: 'ask', arguments: args, ...more },
        { capabilities: form, headers: { 'x-user': user } },
      );
    const first = resultOf(await ask('ada'));
    const [key = ''] = Object.keys(first.inputRequests);
    const second = resultOf(await ask('ada', { ...accept(key, 'teal-1815'), requestState: first.requestState }));
    const [next = ''] = Object.keys(second.inputRequests);
    return { ask, key, next, first, second };
  };

  it('is valid only for the user that got the input request [elicitation.security.bound-to-identity, elicitation.state.bound-to-user, security.handle-not-authentication]', async () => {
    const { ask, next, second } = await opened();
    const retry = { ...accept(next, 'late'), requestState: second.requestState };
    const { messages, text } = await ask('bob', retry);
    expect(messages).toMatchObject([{ error: { code: -32602 } }]);
    expect(text).not.toContain('teal-1815');
    // Nor for other arguments; for the same user and call it is.
    expect((await ask('ada', retry, { other: 1 })).messages).toMatchObject([{ error: { code: -32602 } }]);
    expect(resultOf(await ask('ada', retry))).toMatchObject({ content: [{ text: 'ada: teal-1815 late' }] });
  });

  it('cannot be read or changed where it is stored [elicitation.state.storage-protected]', async () => {
    const { ask, next, second } = await opened();
    const { requestState } = second;
    const parts = requestState.split(/[^\w-]/).flatMap(part => [part, Buffer.from(part, 'base64').toString('latin1')]);
    for (const secret of ['teal-1815', 'colour', 'And now', 'accept', 'ada'])
      for (const part of parts) expect(part.includes(secret), secret).toBe(false);
    for (let at = requestState.length - 1; at >= 0; at -= 7) {
      const changed = `${requestState.slice(0, at)}${requestState[at] === 'A' ? 'B' : 'A'}${requestState.slice(at + 1)}`;
      if (changed === requestState) continue;
      const { text, messages } = await ask('ada', { ...accept(next, 'x'), requestState: changed });
      expect(text).not.toContain('teal-1815');
      expect(messages).toMatchObject([{ error: { code: -32602 } }]);
    }
  });
});

describe('a session', () => {
  it('does not identify the caller, so its input requests are for its user only [elicitation.security.bound-to-identity, elicitation.state.not-session-only, elicitation.state.bound-to-user, security.handle-not-authentication]', async () => {
    const url = await site(server(), { authorize });
    const { say } = await session(url, '2025-11-25', form, { 'x-user': 'ada' });
    const received: Json[] = [];
    const calling = say({ id: 1, method: 'tools/call', params: { name: 'ask' } });
    const bob = { 'x-user': 'bob' };
    // Bob has the session id, and guesses the ids of questions; he hears nothing and answers nothing.
    for (let id = 0; id < 5; id++)
      expect((await say({ id, result: { action: 'accept', content: { pin: 'stolen' } } }, bob)).status).toBe(404);
    expect((await say({ id: 2, method: 'tools/list' }, bob)).status).toBe(404);
    let answered = false;
    const done = calling.then(() => {
      answered = true;
    });
    for (let id = 0; !answered; id = (id + 1) % 5)
      await say({ id, result: { action: 'accept', content: { pin: 'own' } } });
    await done;
    received.push(...(await calling).messages);
    expect(received.at(-1)).toMatchObject({ result: { content: [{ text: 'ada: own own' }] } });
  });
});
