import { createServer, inputRequired, prompt, resource, type ServerDefinition, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import type { InputRequest } from '../../packages/tenon/src/protocol/input-requests.js';
import { postAlone, site } from '../requirements/cases/site.js';
import { confirmationSchema } from './guarded-server.js';
import { callTool, getRetry, getText, sendRequest } from './wire.js';

const requestedSchema = { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } };
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }];
const form: InputRequest = { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema } };
const url: InputRequest = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Go', url: 'https://a.example/' },
};
const model: InputRequest = { method: 'sampling/createMessage', params: { messages, maxTokens: 10 } };
const tools: InputRequest = { method: 'sampling/createMessage', params: { messages, maxTokens: 10, tools: [] } };
const roots: InputRequest = { method: 'roots/list' };

const refusals: [string, InputRequest, JsonObject, JsonObject][] = [
  ['a form, of a client that shows nothing', form, { roots: {} }, { elicitation: {} }],
  ['a form, of a client that shows URLs only', form, { elicitation: { url: {} } }, { elicitation: {} }],
  ['a URL, of a client that shows forms only', url, { elicitation: {} }, { elicitation: { url: {} } }],
  ['a model, of a client that has none', model, { elicitation: {} }, { sampling: {} }],
  ['a model with tools, of a client whose model has none', tools, { sampling: {} }, { sampling: { tools: {} } }],
  ['roots, of a client that has none', roots, { elicitation: {} }, { roots: {} }],
];

const serve = (run: (ctx: never) => unknown, more: Partial<ServerDefinition<never, never, never>> = {}) =>
  createServer({
    name: 's',
    version: '1',
    ...(more as object),
    tools: { t: tool({ run: (_, ctx) => run(ctx as never) as never }) },
    prompts: { t: prompt({ run: (_, ctx) => run(ctx as never) as never }) },
    resources: { 'x:t': resource({ read: (_, ctx) => run(ctx as never) as never }) },
  });

const places: [string, string, JsonObject][] = [
  ['tool', 'tools/call', { name: 't' }],
  ['prompt', 'prompts/get', { name: 't' }],
  ['resource', 'resources/read', { uri: 'x:t' }],
];

describe.each(refusals)('a returned input request for %s', (_, inputRequest, capabilities, requiredCapabilities) => {
  const refused = { code: -32021, data: { requiredCapabilities } };

  it.each(places)(
    'ends the call of a %s with an error, and is not sent [mrtr.capability-respected mrtr.capability-missing-error]',
    async (_, method, params) => {
      const ask = () => inputRequired({ inputRequests: { one: inputRequest }, requestState: 'mine' });
      for (const run of [ask, async () => ask()]) {
        const { result, error } = await sendRequest(serve(run), method, params, { capabilities });
        expect(result).toBeUndefined();
        expect(error).toMatchObject(refused);
      }
    },
  );

  it('ends the call in a later round too, with requestState of the handler [mrtr.capability-respected]', async () => {
    const server = serve(({ inputs }: { inputs: { requestState?: string } }) =>
      inputs.requestState === undefined
        ? inputRequired({ requestState: 'begun' })
        : inputRequired({ inputRequests: { one: inputRequest } }),
    );
    const first = await callTool(server, 't', {}, { capabilities });
    expect(first.result?.requestState).toBeTypeOf('string');
    expect((await callTool(server, 't', getRetry(first), { capabilities })).error).toMatchObject(refused);
  });

  it('ends the call after a step [mrtr.capability-respected]', async () => {
    const server = serve(async (ctx: { step(name: string, run: () => void): Promise<void> }) => {
      await ctx.step('before', () => {});
      return inputRequired({ inputRequests: { one: inputRequest } });
    });
    expect((await callTool(server, 't', {}, { capabilities })).error).toMatchObject(refused);
  });

  it('ends the call when a middleware returns it [mrtr.capability-respected]', async () => {
    const use = [async () => inputRequired({ inputRequests: { one: inputRequest } }) as never];
    expect(
      (
        await callTool(
          serve(() => 'never', { use }),
          't',
          {},
          { capabilities },
        )
      ).error,
    ).toMatchObject(refused);
  });
});

it('fails the call if one of several input requests is unsupported [mrtr.capability-missing-error]', async () => {
  const server = serve(() => inputRequired({ inputRequests: { one: form, other: roots } }));
  const { result, error } = await callTool(server, 't', {}, { capabilities: { elicitation: {} } });
  expect([result, error?.code]).toEqual([undefined, -32021]);
});

it('responds 400 over HTTP to a client without the capability [mrtr.capability-missing-error]', async () => {
  const url = await site(serve(() => inputRequired({ inputRequests: { one: form } })));
  const answer = await postAlone(url, 'tools/call', { name: 't' }, { capabilities: { elicitation: { url: {} } } });
  expect(answer.status).toBe(400);
  expect(answer.messages.at(-1)).toMatchObject({ error: { code: -32021 } });
});

it('checks the capabilities of each request, also for a suspended handler', async () => {
  for (const maxSuspended of [10, 0]) {
    const run = async (ctx: { elicit(inputRequest: object): Promise<{ action: string }> }) => {
      const answers = ['One?', 'Two?'].map(message => ctx.elicit({ message, input: confirmationSchema }));
      return (await Promise.all(answers)).map(({ action }) => action).join();
    };
    const server = serve(run, { inputRequests: { maxSuspended } } as never);
    const { requestState, inputResponses } = getRetry(await callTool(server, 't'));
    const [key = ''] = Object.keys(inputResponses);
    const part = { requestState, inputResponses: { [key]: inputResponses[key] } };
    const { error } = await callTool(server, 't', part, { capabilities: { roots: {} } });
    expect(error).toMatchObject({ code: -32021 });
  }
});

it('sends an input request to a client that declares the capability', async () => {
  const server = serve(({ inputs }: { inputs: { inputResponses?: JsonObject } }) =>
    inputs.inputResponses?.one ? 'thanks' : inputRequired({ inputRequests: { one: form } }),
  );
  const first = await callTool(server, 't', {}, { capabilities: { elicitation: {} } });
  expect(first.result?.inputRequests).toEqual({ one: form });
  const { inputResponses } = getRetry(first);
  expect(getText(await callTool(server, 't', { inputResponses }, { capabilities: { elicitation: {} } }))).toBe(
    'thanks',
  );
});
