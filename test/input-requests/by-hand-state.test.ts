import { fakeClock } from '@tenon/testing';
import { createServer, inputRequired, prompt, type RequestHandler, resource, type ServerDefinition, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import type { InputRequest } from '../../packages/tenon/src/protocol/input-requests.js';
import { confirmationSchema } from './guarded-server.js';
import { type CallerOptions, getRetry, sendRequest, type WireResponse } from './wire.js';

type Handler = (ctx: HandlerContext) => unknown;
interface HandlerContext {
  readonly inputs: { readonly requestState?: string; readonly inputResponses?: JsonObject };
  elicit(inputRequest: object): Promise<{ readonly action: string }>;
  step(name: string, run: () => unknown): Promise<unknown>;
}

const requestedSchema = { type: 'object' as const, properties: { yes: { type: 'boolean' as const } } };
const ask = (message: string): InputRequest => ({ method: 'elicitation/create', params: { message, requestedSchema } });
const roots: InputRequest = { method: 'roots/list' };
const key = (fill: number) => ({ id: 'k', key: new Uint8Array(32).fill(fill) });
const refused = {
  code: -32602,
  message: 'Invalid params: requestState is invalid or expired. Check the effect of the call before you send it again',
};

const serve = (run: Handler, more: Partial<ServerDefinition<never, never, never>> = {}) =>
  createServer({
    name: 's',
    version: '1',
    onError: () => {},
    ...(more as object),
    tools: {
      t: tool({ input: { type: 'object' }, run: (_, ctx) => run(ctx as never) as never }),
      other: tool({ run: (_, ctx) => run(ctx as never) as never }),
      awaited: tool({
        run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input: confirmationSchema })).action,
      }),
    },
    prompts: { t: prompt({ run: (_, ctx) => run(ctx as never) as never }) },
    resources: { 'x:t': resource({ read: (_, ctx) => run(ctx as never) as never }) },
  });

const places: [string, string, JsonObject][] = [
  ['tool', 'tools/call', { name: 't', arguments: { n: 1 } }],
  ['prompt', 'prompts/get', { name: 't' }],
  ['resource', 'resources/read', { uri: 'x:t' }],
];

const call = (server: RequestHandler, more: JsonObject = {}, options: CallerOptions = {}, name = 't') =>
  sendRequest(server, 'tools/call', { name, arguments: { n: 1 }, ...more }, options);

/** Asks two questions and records the inputs of each entry. */
function recording(requestState?: string) {
  const entries: HandlerContext['inputs'][] = [];
  const run: Handler = ({ inputs }) => {
    entries.push(inputs);
    if (inputs.inputResponses !== undefined) return 'done';
    return inputRequired({ inputRequests: { one: ask('One?'), two: roots }, requestState });
  };
  return { entries, run };
}

function part(answer: WireResponse, ...keys: string[]): JsonObject {
  const { requestState, inputResponses } = getRetry(answer);
  return { requestState, inputResponses: Object.fromEntries(keys.map(each => [each, inputResponses[each]])) };
}

const openKeys = ({ result }: WireResponse) => Object.keys(result?.inputRequests ?? {});

describe.each(places)('requestState that a %s returns with its input requests', (_, method, params) => {
  it('is sealed for the client and returned unchanged [mrtr.request-state-integrity]', async () => {
    const { entries, run } = recording('price: 7');
    const server = serve(run);
    const first = await sendRequest(server, method, params);
    expect(first.result?.requestState).toMatch(/^tenon1\.(?!.*price)/);
    await sendRequest(server, method, { ...params, ...getRetry(first) });
    expect(entries).toEqual([{}, { requestState: 'price: 7', inputResponses: getRetry(first).inputResponses }]);
  });

  it.each<[string, (sealed: string) => string]>([
    ['not sealed', () => 'price: 7'],
    ['empty', () => ''],
    ['cut off', sealed => sealed.slice(0, -8)],
    ['forged', sealed => sealed.replace(/^tenon1/, 'tenon2')],
    ['extended', sealed => `${sealed}-x`],
  ])(
    'is refused when it is %s, before the handler runs [mrtr.request-state-untrusted mrtr.request-state-tampered-rejected mrtr.request-state-rejection-code]',
    async (__, change) => {
      const { entries, run } = recording('price: 7');
      const server = serve(run);
      const retry = getRetry(await sendRequest(server, method, params));
      const { error } = await sendRequest(server, method, {
        ...params,
        ...retry,
        requestState: change(retry.requestState),
      });
      expect(error).toMatchObject(refused);
      expect(entries).toHaveLength(1);
    },
  );

  it('is valid for one retry [mrtr.request-state-single-use]', async () => {
    const { entries, run } = recording('price: 7');
    const server = serve(run);
    const retry = { ...params, ...getRetry(await sendRequest(server, method, params)) };
    expect((await sendRequest(server, method, retry)).error).toBeUndefined();
    expect((await sendRequest(server, method, retry)).error).toMatchObject({ code: -32602 });
    expect(entries).toHaveLength(2);
  });

  it('is valid for its user and its request [mrtr.request-state-principal-bound mrtr.request-state-request-bound]', async () => {
    const { entries, run } = recording('price: 7');
    const server = serve(run);
    const ada = { principal: 'ada' };
    const retry = getRetry(await sendRequest(server, method, params, ada));
    const sends: [string, JsonObject, CallerOptions][] = [
      [method, params, { principal: 'bob' }],
      [method, params, {}],
      [method, { ...params, arguments: { n: '2' } }, ada],
      ['tools/call', { name: 'other', arguments: { n: 1 } }, ada],
      ['tools/call', { name: 'awaited' }, ada],
    ];
    for (const [as, given, options] of sends)
      expect((await sendRequest(server, as, { ...given, ...retry }, options)).error).toMatchObject(refused);
    expect(entries).toHaveLength(1);
    expect((await sendRequest(server, method, { ...params, ...retry }, ada)).error).toBeUndefined();
  });
});

describe('responses to returned input requests', () => {
  it('reach the handler without unrequested ones [mrtr.extra-responses-ignored]', async () => {
    const { entries, run } = recording();
    const server = serve(run);
    const retry = getRetry(await call(server));
    const more = { three: { action: 'accept' }, constructor: { action: 'accept' }, ['__proto__']: { roots: [] } };
    await call(server, { ...retry, inputResponses: { ...more, ...retry.inputResponses } });
    expect(entries[1]).toEqual({ inputResponses: retry.inputResponses });
  });

  it('are requested until all are present, and the handler runs again with all of them [mrtr.missing-responses-reasked]', async () => {
    for (const state of [undefined, 'mine']) {
      const { entries, run } = recording(state);
      const server = serve(run);
      const first = await call(server);
      const second = await call(server, part(first, 'one'));
      expect(second.result?.inputRequests).toEqual({ two: roots });
      const third = await call(server, { requestState: second.result?.requestState });
      expect(openKeys(third)).toEqual(['two']);
      expect(entries).toHaveLength(1);
      expect((await call(server, getRetry(third))).result).toMatchObject({ content: [{ text: 'done' }] });
      const { inputResponses } = getRetry(first);
      expect(entries[1]).toEqual({ inputResponses, ...(state === undefined ? {} : { requestState: state }) });
    }
  });

  it('are refused when they are of another kind, and requestState stays valid [mrtr.input-responses-validated mrtr.malformed-responses-error]', async () => {
    const { entries, run } = recording('mine');
    const server = serve(run);
    const retry = getRetry(await call(server));
    for (const one of [{}, { action: 'maybe' }, { roots: [] }]) {
      const inputResponses = { ...retry.inputResponses, one };
      expect((await call(server, { ...retry, inputResponses })).error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('/inputResponses/one'),
      });
    }
    expect(entries).toHaveLength(1);
    expect((await call(server, retry)).error).toBeUndefined();
  });

  it('are passed once: a later round gets its own responses and requestState [mrtr.multiple-rounds mrtr.latest-round-only]', async () => {
    const entries: unknown[] = [];
    const server = serve(({ inputs }) => {
      entries.push(inputs);
      const { requestState } = inputs;
      if (requestState === undefined) return inputRequired({ inputRequests: { one: ask('One?') }, requestState: '1' });
      if (requestState === '1') return inputRequired({ inputRequests: { two: ask('Two?') }, requestState: '2' });
      return requestState === '2' ? inputRequired({ requestState: '3' }) : 'done';
    });
    let answer = await call(server);
    const states = new Set<unknown>();
    for (let round = 0; round < 3; round++) {
      states.add(answer.result?.requestState);
      answer = await call(server, getRetry(answer));
    }
    expect(answer.result).toMatchObject({ content: [{ text: 'done' }] });
    expect(states.size).toBe(3);
    const accepted = (text: string) => ({ action: 'accept', content: { yes: true, said: text } });
    expect(entries).toEqual([
      {},
      { requestState: '1', inputResponses: { one: accepted('One?') } },
      { requestState: '2', inputResponses: { two: accepted('Two?') } },
      { requestState: '3', inputResponses: {} },
    ]);
  });

  it('reach the middleware that returned the input requests, and the handler keeps its awaited responses', async () => {
    const seen: unknown[] = [];
    const use = [
      async (operation: { context: HandlerContext }, next: (operation: never) => Promise<JsonObject>) => {
        const { inputs } = operation.context;
        seen.push(inputs.inputResponses);
        const result = await next(operation as never);
        const isFirst = result.resultType !== 'input_required' && inputs.inputResponses === undefined;
        return isFirst ? inputRequired({ inputRequests: { last: ask('Last?') } }) : result;
      },
    ];
    const server = serve(() => 'never', { use } as never);
    let answer = await call(server, {}, {}, 'awaited');
    expect(openKeys(answer)).toEqual(['ask-0']);
    answer = await call(server, getRetry(answer), {}, 'awaited');
    expect(openKeys(answer)).toEqual(['last']);
    answer = await call(server, getRetry(answer), {}, 'awaited');
    expect(answer.result).toMatchObject({ content: [{ text: 'accept' }] });
    expect(seen.at(-1)).toHaveProperty('last');
  });
});

describe('responses without requestState', () => {
  it('are accepted when they are complete [mrtr.extra-responses-ignored]', async () => {
    for (const state of [undefined, 'mine']) {
      const { entries, run } = recording(state);
      const steps: string[] = [];
      const server = serve(async ctx => {
        await ctx.step('before', () => void steps.push('before'));
        return run(ctx);
      });
      const { inputResponses } = getRetry(await call(serve(run)));
      const answer = await call(server, { inputResponses: { ...inputResponses, three: {} } });
      expect(answer.result).toMatchObject({ content: [{ text: 'done' }] });
      expect(entries.slice(1)).toEqual([
        {},
        { inputResponses, ...(state === undefined ? {} : { requestState: state }) },
      ]);
      expect(steps).toEqual(['before']);
    }
  });

  it('are requested again when one is missing, and when the handler awaits them [mrtr.missing-responses-reasked]', async () => {
    const { entries, run } = recording();
    const server = serve(run);
    const { inputResponses } = getRetry(await call(server));
    for (const given of [{}, { one: inputResponses.one }, { two: inputResponses.two, three: {} }]) {
      const partial = await call(server, { inputResponses: given });
      expect(openKeys(partial)).toEqual(['one', 'two']);
      expect(entries.splice(0).at(-1)).toEqual({});
      expect((await call(server, getRetry(partial))).result).toMatchObject({ content: [{ text: 'done' }] });
    }
    const early = { inputResponses: { 'ask-0': inputResponses.one } };
    expect(openKeys(await call(server, early, {}, 'awaited'))).toEqual(['ask-0']);
  });

  it('are refused when they are of another kind [mrtr.malformed-responses-error]', async () => {
    const { entries, run } = recording();
    const { error } = await call(serve(run), { inputResponses: { one: { roots: [] }, two: { roots: [] } } });
    expect(error).toMatchObject({ code: -32602 });
    expect(entries).toEqual([{}]);
  });
});

describe('the sealed requestState of returned input requests', () => {
  it('opens at replicas with the same key, and at no other [mrtr.retry-self-contained]', async () => {
    const { run } = recording('mine');
    const replica = (fill?: number) =>
      serve(run, (fill === undefined ? {} : { inputRequests: { keys: [key(fill)] } }) as never);
    const retry = getRetry(await call(replica(1)));
    for (const other of [replica(2), replica()]) expect((await call(other, retry)).error).toMatchObject(refused);
    expect((await call(replica(1), retry)).result).toMatchObject({ content: [{ text: 'done' }] });
  });

  it('expires [mrtr.request-state-expiry]', async () => {
    const clock = fakeClock(1_000_000);
    const server = serve(recording('mine').run, { clock } as never);
    const [one, other] = [getRetry(await call(server)), getRetry(await call(server))];
    clock.advance(15 * 60_000 - 1);
    expect((await call(server, one)).error).toBeUndefined();
    clock.advance(1);
    expect((await call(server, other)).error).toMatchObject(refused);
  });

  it('limits the rounds of a call', async () => {
    const server = serve(() => inputRequired({ requestState: 'more' }), { inputRequests: { maxRounds: 3 } } as never);
    let answer = await call(server);
    for (let round = 0; round < 2; round++) answer = await call(server, getRetry(answer));
    expect(answer.result?.requestState).toBeTypeOf('string');
    expect((await call(server, getRetry(answer))).error).toMatchObject({ code: -32603 });
  });

  it('moves large input requests to the store', async () => {
    const server = serve(({ inputs }) =>
      inputs.inputResponses ? 'done' : inputRequired({ inputRequests: { one: ask('?'.repeat(50_000)), two: roots } }),
    );
    const first = await call(server);
    expect(first.result?.requestState?.length).toBeLessThan(500);
    const again = await call(server, part(first, 'two'));
    expect(again.result?.inputRequests).toEqual({ one: first.result?.inputRequests?.one });
    expect((await call(server, getRetry(again))).result).toMatchObject({ content: [{ text: 'done' }] });
  });
});

describe('a returned input request with an invalid method', () => {
  const methods = 'elicitation/create, sampling/createMessage, roots/list';
  const wrong: [string, unknown, string][] = [
    ['another method', { method: 'tools/list' }, '"tools/list"'],
    ['no method', {}, 'undefined'],
    ['no object', 'roots/list', 'undefined'],
  ];

  it.each(places)(
    'causes an error of the %s that names it, and is not sent [mrtr.input-request-kinds]',
    async (what, method, params) => {
      for (const [, inputRequest, got] of wrong) {
        const errors: Error[] = [];
        const run = () => inputRequired({ inputRequests: { fine: roots, odd: inputRequest as never } });
        const server = serve(run, { onError: (error: Error) => void errors.push(error) } as never);
        const { result, error } = await sendRequest(server, method, params);
        expect(result?.isError ?? error?.code).toBe(what === 'tool' ? true : -32603);
        const name = String(params.name ?? params.uri);
        expect(errors).toMatchObject([
          {
            code: 'handler/output',
            expected: methods,
            received: got,
            summary: `${what} "${name}": invalid method of the input request "odd"`,
          },
        ]);
      }
    },
  );

  it('causes an error of the middleware that returned it [mrtr.input-request-kinds]', async () => {
    const errors: Error[] = [];
    const use = [async () => ({ resultType: 'input_required', inputRequests: { odd: { method: 'ping' } } })];
    const onError = (error: Error) => void errors.push(error);
    const { error } = await call(serve(() => 'never', { use, onError } as never));
    expect(error?.code).toBe(-32603);
    expect(errors).toMatchObject([
      { summary: expect.stringContaining('middleware of tools/call "t"'), received: '"ping"' },
    ]);
  });
});
