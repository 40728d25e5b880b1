import { connect, createServer, prompt, resource, type TenonError, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo } from '../../../packages/tenon/src/client/connect.js';
import { createClientEndpoint } from '../../../packages/tenon/src/client/connection/http-endpoint.js';
import { createNodeRequester } from '../../../packages/tenon/src/runtimes/node/http/http-requester.js';
import { createWire, recordRequester } from '../../versions/wire.js';
import { type Json, newest, postAlone, site } from './site.js';

const echo = (input: object) => tool({ input: input as never, run: given => JSON.stringify(given) });
const annotated = (type: unknown, header: unknown): Json => ({ type, 'x-mcp-header': header });
const withProperties = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });
const offering = (input: Json) => createServer({ name: 's', version: '1', tools: { t: echo(input) } });

const route = withProperties({
  region: annotated('string', 'Region'),
  count: annotated('integer', 'Count'),
  dry: annotated('boolean', 'Dry'),
  place: withProperties({ deep: withProperties({ zone: annotated('string', 'Zone') }) }),
  free: { type: 'string' },
});

describe('an x-mcp-header annotation', () => {
  it.each<[string, Json]>([
    ['is empty [http.x-mcp-header-not-empty]', withProperties({ a: annotated('string', '') })],
    ['has a space [http.x-mcp-header-token-syntax]', withProperties({ a: annotated('string', 'My Region') })],
    ['has a colon [http.x-mcp-header-token-syntax]', withProperties({ a: annotated('string', 'a:b') })],
    ['is not ASCII [http.x-mcp-header-token-syntax]', withProperties({ a: annotated('string', 'Région') })],
    ['breaks the line [http.x-mcp-header-no-control-chars]', withProperties({ a: annotated('string', 'a\r\nx: y') })],
    ['ends the line [http.x-mcp-header-no-control-chars]', withProperties({ a: annotated('string', 'a\n') })],
    [
      'has a control character [http.x-mcp-header-no-control-chars]',
      withProperties({ a: annotated('string', 'a\u0001') }),
    ],
    ['is no string', withProperties({ a: annotated('string', 7) })],
    [
      'is there twice, in other case [http.x-mcp-header-unique]',
      withProperties({ a: annotated('string', 'Region'), b: withProperties({ c: annotated('string', 'REGION') }) }),
    ],
    ['stands at a number [http.x-mcp-header-primitive-types]', withProperties({ a: annotated('number', 'A') })],
    ['stands at an object [http.x-mcp-header-primitive-types]', withProperties({ a: annotated('object', 'A') })],
    ['stands at an array [http.x-mcp-header-primitive-types]', withProperties({ a: annotated('array', 'A') })],
    ['stands at any type [http.x-mcp-header-primitive-types]', withProperties({ a: { 'x-mcp-header': 'A' } })],
    [
      'stands at two types [http.x-mcp-header-primitive-types]',
      withProperties({ a: annotated(['string', 'null'], 'A') }),
    ],
    ['stands at the root [http.x-mcp-header-static-path]', { ...withProperties({}), 'x-mcp-header': 'A' }],
    [
      'stands below additionalProperties [http.x-mcp-header-static-path]',
      withProperties({}, { additionalProperties: annotated('string', 'A') }),
    ],
    [
      'stands below patternProperties [http.x-mcp-header-static-path]',
      withProperties({}, { patternProperties: { '^a': annotated('string', 'A') } }),
    ],
    ...['items', 'contains', 'prefixItems'].map((keyword): [string, Json] => [
      `stands below ${keyword} [http.x-mcp-header-no-dynamic-path]`,
      withProperties({
        list: {
          type: 'array',
          [keyword]: keyword === 'prefixItems' ? [annotated('string', 'A')] : annotated('string', 'A'),
        },
      }),
    ]),
    ...['oneOf', 'anyOf', 'allOf'].map((keyword): [string, Json] => [
      `stands below ${keyword} [http.x-mcp-header-no-dynamic-path]`,
      withProperties({}, { [keyword]: [withProperties({ a: annotated('string', 'A') })] }),
    ]),
    ...['not', 'if', 'then', 'else'].map((keyword): [string, Json] => [
      `stands below ${keyword} [http.x-mcp-header-no-dynamic-path]`,
      withProperties({}, { [keyword]: withProperties({ a: annotated('string', 'A') }) }),
    ]),
    [
      'is reached by $ref [http.x-mcp-header-no-dynamic-path]',
      withProperties({ a: { $ref: '#/$defs/a' } }, { $defs: { a: annotated('string', 'A') } }),
    ],
  ])('is refused at definition: %s', (_, input) => {
    let error: TenonError | undefined;
    try {
      offering(input);
    } catch (thrown) {
      error = thrown as TenonError;
    }
    expect(error?.code).toBe('tool/x-mcp-header');
  });

  it('is ignored where it is data or the name of a property', () => {
    offering(withProperties({ 'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 1 } } }));
  });

  it('is accepted with the name of a standard header, and in a nested object [http.mcp-param-name-collision-allowed, http.x-mcp-header-static-path]', () => {
    offering(withProperties({ a: withProperties({ b: annotated('string', 'Method') }) }));
  });
});

describe('headers of mirrored arguments, over HTTP', () => {
  const call = async (args: Json, headers: Json, input = route) => {
    const url = await site(offering(input));
    const given = await postAlone(url, 'tools/call', { name: 't', arguments: args }, { id: 'mine', headers });
    const [message] = given.messages as [Json & { error?: Json; result?: Json }];
    return {
      ...given,
      id: message.id,
      code: message.error?.code,
      result: message.result,
      failed: message.result?.isError === true,
    };
  };
  const passed = { status: 200, failed: false, result: { content: [{ type: 'text' }] } };

  it('are required where the argument is present, and must agree [http.mcp-param-present-required, http.mcp-param-integer-numeric-compare]', async () => {
    const args = { region: 'eu', count: 42, dry: true, place: { deep: { zone: 'b' } } };
    const headers = {
      'mcp-param-region': 'eu',
      'Mcp-Param-Count': '42.0',
      'mcp-param-dry': 'true',
      'mcp-param-zone': 'b',
    };
    expect(await call(args, headers)).toMatchObject(passed);
    for (const missing of Object.keys(headers)) {
      const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing));
      expect(await call(args, rest), missing).toMatchObject({ status: 400, code: -32020, id: 'mine' });
    }
  });

  it.each<[string, Json, Json]>([
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['another number', { count: 42 }, { 'mcp-param-count': '43' }],
    ['no number', { count: 0 }, { 'mcp-param-count': ' ' }],
    ['another truth', { dry: true }, { 'mcp-param-dry': 'True' }],
    ['another value far below', { place: { deep: { zone: 'b' } } }, { 'mcp-param-zone': 'c' }],
  ])(
    'cause an error with the id of the request: %s [http.header-mismatch-echoes-id, http.mcp-param-mismatch]',
    async (_, args, headers) => {
      expect(await call(args, headers)).toMatchObject({ status: 400, code: -32020, id: 'mine' });
    },
  );

  it.each<[string, string]>([
    ['that is not ASCII', 'eü'],
    ['that is not well encoded', '=?base64?eu?='],
    ['that is encoded, but not as UTF-8', '=?base64?/w==?='],
    ['with a tab inside, for another value', 'e\tu'],
  ])('cause an error with invalid characters: %s [http.mcp-param-invalid-characters]', async (_, value) => {
    expect(await call({ region: 'eu' }, { 'mcp-param-region': value })).toMatchObject({ status: 400, code: -32020 });
  });

  it('are not expected for null or absent arguments [http.mcp-param-null-not-expected]', async () => {
    expect(await call({}, {})).toMatchObject(passed);
    expect(await call({ place: {} }, {})).toMatchObject(passed);
    expect(await call({ region: null }, {}, withProperties({ region: annotated('string', 'Region') }))).toMatchObject({
      status: 200,
    });
    expect(await call({}, { 'mcp-param-region': 'eu' })).toMatchObject({ status: 400, code: -32020 });
  });

  it('are ignored when they belong to no argument [http.mcp-param-unrecognised-ignored]', async () => {
    const headers = { 'mcp-param-other': 'x', 'mcp-param-free': 'not the same', 'mcp-param-bad': '=?base64?eu?=' };
    expect(await call({ free: 'f' }, headers)).toMatchObject(passed);
  });

  it('are limited to safe integers [http.x-mcp-header-safe-integers]', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const count of [most, -most])
      expect(await call({ count }, { 'mcp-param-count': String(count) })).toMatchObject(passed);
    for (const count of [most + 1, -most - 1, 1e21])
      expect(await call({ count }, { 'mcp-param-count': String(count) })).toMatchObject({ status: 400, code: -32020 });
    const url = await site(offering(route));
    const client = await connect(url);
    onTestFinished(() => client.close());
    expect(await client.callTool('t', { count: most })).toMatchObject({ content: [{ text: `{"count":${most}}` }] });
    expect(await client.callTool('t', { count: most + 1 }).catch(({ code }) => code)).toBe('call/inexact-argument');
  });

  it('are no authorization [http.header-not-sole-trust]', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      tools: {
        open: echo(withProperties({ user: annotated('string', 'User') })),
        whoami: tool({ run: (_, ctx) => ctx.auth?.principal ?? 'nobody' }),
        secret: tool({ visible: ({ auth }) => auth?.principal === 'ada', run: () => 'the secret' }),
      },
    });
    const url = await site(server, {
      authorize: facts => {
        const token = facts.header('authorization');
        return token === undefined ? { status: 401 } : { auth: { principal: token.slice('Bearer '.length) } };
      },
    });
    const as = (principal: string, name: string, headers: Json = {}) =>
      postAlone(url, 'tools/call', { name }, { headers: { authorization: `Bearer ${principal}`, ...headers } });
    expect((await as('ada', 'secret')).text).toContain('the secret');
    // A header that names something harmless, one that names the thing itself, and one that names the user.
    for (const headers of [{ 'mcp-name': 'open' }, {}, { 'mcp-param-user': 'ada' }, { 'mcp-session-id': 'ada' }]) {
      const { text, messages } = await as('bob', 'secret', headers);
      expect(text).not.toContain('the secret');
      expect(messages[0]).toHaveProperty('error');
    }
    expect((await as('bob', 'whoami', { 'mcp-param-user': 'ada' })).text).toContain('"text":"bob"');
    expect(
      (await postAlone(url, 'tools/call', { name: 'secret' }, { headers: { 'mcp-param-user': 'ada' } })).status,
    ).toBe(401);
  });
});

describe('mirrored headers of a client', () => {
  async function tapped() {
    const url = await site(
      createServer({
        name: 's',
        version: '1',
        tools: { t: echo(route) },
        prompts: { grüße: prompt({ run: () => 'x' }), plain: prompt({ run: () => 'x' }) },
        resources: {
          'note://{title}': resource({ name: 'note', read: ({ title }) => title }),
        },
      }),
    );
    const wire = createWire(newest);
    const client = await connectTo(
      createClientEndpoint({ url, transport: 'http' }, recordRequester(createNodeRequester(), wire)),
    );
    onTestFinished(() => client.close());
    const sent = (): Record<string, string> => {
      const { headers = {} } = wire.exchanges.at(-1) ?? {};
      return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    };
    return { client, sent };
  }

  it('contain the name of the request, encoded where necessary [http.mcp-name-encoded, http.header-base64-utf8, http.header-plain-ascii-as-is]', async () => {
    const { client, sent } = await tapped();
    const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    const read = async (uri: string) => {
      await client.readResource(uri);
      return sent()['mcp-name'];
    };
    expect(await read('note://plain')).toBe('note://plain');
    expect(await read('note://gr%C3%BC%C3%9Fe')).toBe('note://gr%C3%BC%C3%9Fe');
    await client.call('prompts/get', { name: 'grüße' });
    expect(sent()['mcp-name']).toBe(encoded('grüße'));
    await client.call('prompts/get', { name: 'plain' });
    expect(sent()['mcp-name']).toBe('plain');
    for (const name of [' plain', '=?base64?cGxhaW4=?=', 'a\nb']) {
      expect(await client.call('prompts/get', { name }).catch(({ rpcCode }) => rpcCode)).toBe(-32602);
      expect(sent()['mcp-name']).toBe(encoded(name));
    }
  });

  it('are found along the properties, and omitted for absent arguments [http.x-mcp-header-extraction, http.mcp-param-null-omitted, http.mcp-param-unannotated-not-sent]', async () => {
    const { client, sent } = await tapped();
    const mirrored = async (args: Json) => {
      await client.callTool('t', args);
      return Object.fromEntries(Object.entries(sent()).filter(([name]) => name.startsWith('mcp-param-')));
    };
    expect(await mirrored({ region: 'eu', free: 'x', place: { deep: { zone: 'b' } } })).toEqual({
      'mcp-param-region': 'eu',
      'mcp-param-zone': 'b',
    });
    expect(await mirrored({ count: 3, dry: false, place: { deep: {} } })).toEqual({
      'mcp-param-count': '3',
      'mcp-param-dry': 'false',
    });
    expect(await mirrored({ place: {}, zone: 'not this' })).toEqual({});
    expect(await mirrored({})).toEqual({});
  });
});
