import { expect, it } from 'vitest';
import { describeMatrix, type MatrixCase } from './matrix.js';
import type { Json } from './wire.js';

const is = (variant: MatrixCase, date: string) => variant.version === date;
const from = (variant: MatrixCase, date: string) => variant.version >= date;

describeMatrix('tools', (rig, variant) => {
  it('lists tools with the members of the protocol version [tools.list.answered, tools.capability-declared, schema.request.tools-list, schema.result.tools-list, schema.result.tools-list.full, schema.type.tool, schema.type.tool.full, schema.type.tool.annotations, schema.type.tool-annotations, schema.type.tool.title-and-meta, schema.type.tool.output-schema, schema.type.tool.icons, schema.type.icon, schema.type.base-metadata, schema.type.tool.no-execution, lifecycle.operation.respect-version]', async () => {
    const { client, wire } = rig();
    const names: string[] = [];
    for await (const each of client.listTools()) names.push(each.name);
    expect(names).toEqual(expect.arrayContaining(['blocks', 'add', 'primes', 'formed', 'grow']));
    const listed = wire.answer('tools/list').result.tools as Json[];
    const blocks = listed.find(({ name }) => name === 'blocks') as Json;
    expect(Object.keys(blocks).sort()).toEqual(
      [
        ...['name', 'description', 'inputSchema'],
        ...(from(variant, '2025-03-26') ? ['annotations'] : []),
        ...(from(variant, '2025-06-18') ? ['title', '_meta'] : []),
        ...(from(variant, '2025-11-25') ? ['icons'] : []),
      ].sort(),
    );
    const add = listed.find(({ name }) => name === 'add') as Json;
    expect('outputSchema' in add).toBe(from(variant, '2025-06-18'));
  });

  it('wraps an output that is not an object where the version requires an object [schema.type.tool.output-schema, tools.output-schema.server-conforms]', async () => {
    const { client, wire } = rig();
    for await (const _ of client.listTools());
    const listed = wire.answer('tools/list').result.tools as Json[];
    const primes = listed.find(({ name }) => name === 'primes') as { outputSchema?: Json };
    const inner = { type: 'array', items: { type: 'number' } };
    if (!from(variant, '2025-06-18')) expect(primes.outputSchema).toBeUndefined();
    else if (is(variant, '2026-07-28')) expect(primes.outputSchema).toMatchObject(inner);
    else
      expect(primes.outputSchema).toMatchObject({
        type: 'object',
        properties: { result: inner },
        required: ['result'],
      });
  });

  it('sends a schema in the form of the protocol version [tools.input-schema.valid, schema.type.tool.schema-dialect-member, schema.dialect.schemas-valid]', async () => {
    const { client, wire } = rig();
    for await (const _ of client.listTools());
    const listed = wire.answer('tools/list').result.tools as { name: string; inputSchema: Json }[];
    expect(listed.every(({ inputSchema }) => inputSchema.type === 'object')).toBe(true);
    const properties = listed.find(({ name }) => name === 'dialect')?.inputSchema.properties as Json;
    expect(properties.any).toEqual(is(variant, '2026-07-28') ? true : {});
  });

  it('sends the kinds of content that the protocol version has, and text for the others [schema.result.tools-call, schema.result.tools-call.full, schema.result.tools-call.audio, schema.result.tools-call.resource-link, schema.type.text-content, schema.type.image-content, schema.type.audio-content, schema.type.embedded-resource, schema.type.resource-link, schema.type.annotations, schema.type.annotations.last-modified, schema.type.content.meta, schema.type.resource-contents.meta, schema.type.role, base.utf8-encoding]', async () => {
    const { client, wire } = rig();
    const { content } = await client.callTool('blocks');
    expect(content[0]).toMatchObject({ type: 'text', text: 'words – ü 🜚' });
    const sent = wire.answer('tools/call').result.content as Json[];
    expect(sent.map(({ type }) => type)).toEqual([
      'text',
      'image',
      from(variant, '2025-03-26') ? 'audio' : 'text',
      'resource',
      'resource',
      from(variant, '2025-06-18') ? 'resource_link' : 'text',
    ]);
    if (!from(variant, '2025-03-26')) expect(sent[2]?.text).toBe('[audio, audio/wav, 5 bytes: not shown]');
    if (!from(variant, '2025-06-18')) expect(sent[5]?.text).toBe('C: note://c (third)');
    expect('icons' in (sent[5] as Json)).toBe(from(variant, '2025-11-25'));
    expect('_meta' in (sent[0] as Json)).toBe(from(variant, '2025-06-18'));
    expect(((sent[1] as Json).annotations as Json).lastModified).toBe(
      from(variant, '2025-06-18') ? '2025-01-01T00:00:00Z' : undefined,
    );
    expect(((sent[1] as Json).annotations as Json).priority).toBe(0.5);
  });

  it('returns structured content if the version has it, and its value as text on every version [tools.result.structured-content-object, tools.output-schema.server-conforms, schema.result.tools-call.structured-content, schema.request.tools-call, schema.request.tools-call.full, compat.legacy-wire-restored]', async () => {
    const { client, wire } = rig();
    expect(await client.tools.add({ a: 1, b: 2 })).toEqual({ sum: 3, parts: [1, 2] });
    const result = wire.answer('tools/call').result as Json;
    expect(result.structuredContent).toEqual(from(variant, '2025-06-18') ? { sum: 3, parts: [1, 2] } : undefined);
    expect((result.content as Json[])[0]).toEqual({ type: 'text', text: '{"sum":3,"parts":[1,2]}' });
    expect((result._meta as Json | undefined)?.['dev.tenon/structuredContent']).toBe(
      from(variant, '2025-06-18') ? undefined : true,
    );
    expect(wire.sent('client', 'tools/call')[0]).toMatchObject({ name: 'add', arguments: { a: 1, b: 2 } });
  });

  it('returns structured content of any kind [tools.call.structured-content-any-json, compat.structured-content-text-fallback]', async () => {
    const { client, wire } = rig();
    const all: [unknown, unknown][] = [
      [await client.tools.primes(), [2, 3, 5]],
      [await client.tools.word(), 'tenon'],
      [await client.tools.nothing(), null],
    ];
    for (const [got, expected] of all) expect(got).toEqual(expected);
    const { structuredContent, content } = wire.answer('tools/call').result as Json;
    const wrapped = is(variant, '2026-07-28') ? null : { result: null };
    expect(structuredContent).toEqual(from(variant, '2025-06-18') ? wrapped : undefined);
    expect(content).toEqual([{ type: 'text', text: 'null' }]);
  });

  it('keeps its own content blocks beside structured content [base.meta.reserved-member]', async () => {
    const { client } = rig();
    const result = await client.callTool('told');
    expect(result.content).toEqual([{ type: 'text', text: 'It is mild.' }]);
    expect(result._meta?.['com.example/source']).toBe('sky');
    expect(result.structuredContent).toEqual({ celsius: 12 });
  });

  it('returns a failure of the tool as a result, masked unless it is meant for the model [tools.call.is-error-default, result.result-type-complete]', async () => {
    const { client } = rig();
    expect(await client.callTool('fails')).toMatchObject({
      isError: true,
      content: [{ text: 'The cellar is locked' }],
    });
    expect(await client.callTool('gives')).toMatchObject({ isError: true, content: [{ text: 'No such luck' }] });
    expect(await client.callTool('throws')).toMatchObject({ isError: true, content: [{ text: 'Tool throws failed' }] });
    expect(await client.callTool('misfit')).toMatchObject({ isError: true, content: [{ text: 'Tool misfit failed' }] });
    await expect(client.tools.fails()).rejects.toMatchObject({
      code: 'tool/failed',
      message: expect.stringContaining('The cellar is locked'),
    });
  });

  it('returns a protocol error as an error [tools.call.server-error, base.error.internal-error, base.error.code-and-message, base.error.code-integer, schema.const.error-codes, schema.type.jsonrpc-error-response]', async () => {
    const { client, wire } = rig();
    await expect(client.tools.refuses()).rejects.toMatchObject({
      code: 'peer/error',
      rpcCode: -32603,
      data: { until: 'noon' },
    });
    expect(wire.answer('tools/call').error).toEqual({ code: -32603, message: 'Out of order', data: { until: 'noon' } });
  });

  it('rejects an unknown tool [tools.call.unknown-tool-error]', async () => {
    const { client } = rig();
    await expect(client.callTool('absent')).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.callTool('__proto__')).rejects.toMatchObject({ rpcCode: -32602 });
  });

  it('responds to invalid arguments as the protocol version requires [tools.security.inputs-validated, tools.call.invalid-arguments-protocol-error, tools.call.input-validation-execution-error]', async () => {
    const { client, wire } = rig();
    const called = client.callTool('add', { a: 1, b: 'two' });
    if (from(variant, '2025-11-25')) {
      const { isError, content } = await called;
      expect(isError).toBe(true);
      expect(content[0]).toMatchObject({ text: expect.stringContaining('Invalid arguments for tool add') });
    } else {
      await expect(called).rejects.toMatchObject({ rpcCode: -32602 });
      expect(wire.answer('tools/call').error.message).toContain('Invalid arguments for tool add');
    }
  });

  it('rejects a malformed call [tools.call.malformed-request-error, base.error.invalid-params]', async () => {
    const { client, wire } = rig();
    wire.excuseClient();
    await expect(client.call('tools/call', { arguments: {} } as never)).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.call('tools/call', { name: 'add', arguments: [] } as never)).rejects.toMatchObject({
      rpcCode: -32602,
    });
  });

  it('mirrors arguments in headers, if the transport has them [base.mirrored-metadata-body-wins]', async () => {
    const { client, wire } = rig();
    const { content } = await client.callTool('mirrored', { region: 'Ærø', count: 7 });
    expect(content[0]).toMatchObject({ text: 'Ærø 7' });
    const headers = wire.exchanges.at(-1)?.headers ?? {};
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const mirrors = variant.transport === 'http' && is(variant, '2026-07-28');
    expect(named['mcp-param-region']).toBe(mirrors ? `=?base64?${Buffer.from('Ærø').toString('base64')}?=` : undefined);
    expect(named['mcp-param-count']).toBe(mirrors ? '7' : undefined);
  });

  it('states the type of a result, if the version has it [result.result-type-required, result.result-type-complete, caching.call-results-unhinted, base.response.result-present, base.response.result-object]', async () => {
    const { client, wire } = rig();
    await client.callTool('gives');
    const result = wire.answer('tools/call').result as Json;
    expect(result.resultType).toBe(is(variant, '2026-07-28') ? 'complete' : undefined);
    expect('ttlMs' in result || 'cacheScope' in result).toBe(false);
    const info = (result._meta as Json | undefined)?.['io.modelcontextprotocol/serverInfo'];
    expect(info).toEqual(
      is(variant, '2026-07-28') ? expect.objectContaining({ name: 'example', version: '1.2.3' }) : undefined,
    );
  });
});
