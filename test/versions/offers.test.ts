import { expect, it } from 'vitest';
import { describeMatrix, type MatrixCase } from './matrix.js';
import type { Json } from './wire.js';

const is = (variant: MatrixCase, date: string) => variant.version === date;
const from = (variant: MatrixCase, date: string) => variant.version >= date;
const newest = '2026-07-28';

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of list) found.push(each);
  return found;
}

describeMatrix('resources, prompts and completion', (rig, variant) => {
  it('lists resources with the members of the protocol version [resources.list.answered, resources.capability-declared, schema.request.resources-list, schema.result.resources-list, schema.result.resources-list.full, schema.type.resource, schema.type.resource.title-and-meta, schema.type.resource.icons, schema.type.annotations, schema.type.annotations.last-modified]', async () => {
    const { client, wire } = rig();
    const uris = (await all(client.listResources())).map(({ uri }) => uri);
    expect(uris).toEqual([
      'note://all',
      'note://picture',
      'note://several',
      'note://asked',
      'note://by/a',
      'note://by/b',
    ]);
    const [first] = wire.answer('resources/list').result.resources as Json[];
    expect(Object.keys(first as Json).sort()).toEqual(
      [
        ...['uri', 'name', 'description', 'mimeType', 'annotations', 'size'],
        ...(from(variant, '2025-06-18') ? ['title', '_meta'] : []),
        ...(from(variant, '2025-11-25') ? ['icons'] : []),
      ].sort(),
    );
    expect(first?.annotations).toEqual({
      audience: ['user'],
      priority: 0.5,
      ...(from(variant, '2025-06-18') ? { lastModified: '2025-01-01T00:00:00Z' } : {}),
    });
  });

  it('lists templates [schema.request.resources-templates-list, schema.result.resources-templates-list, schema.result.resources-templates-list.full, schema.type.resource-template, schema.type.resource-template.title-and-meta, schema.type.resource-template.icons, pagination.operations]', async () => {
    const { client, wire } = rig();
    expect((await all(client.listResourceTemplates())).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'note://by/{title}',
    ]);
    const [template] = wire.answer('resources/templates/list').result.resourceTemplates as Json[];
    expect('title' in (template as Json)).toBe(from(variant, '2025-06-18'));
    expect('_meta' in (template as Json)).toBe(from(variant, '2025-06-18'));
    expect('icons' in (template as Json)).toBe(from(variant, '2025-11-25'));
  });

  it('reads text, bytes and several contents [schema.request.resources-read, schema.request.resources-read.full, schema.result.resources-read, schema.result.resources-read.full, schema.type.resource-contents, schema.type.resource-contents.meta, resources.security.binary-encoded, resources.contents.text-only-for-text]', async () => {
    const { client, wire } = rig();
    expect((await client.readResource('note://all')).contents).toEqual([
      { uri: 'note://all', mimeType: 'text/plain', text: 'first\nsecond' },
    ]);
    const { contents } = await client.readResource('note://picture');
    expect(contents).toEqual([
      { uri: 'note://picture', mimeType: 'image/png', blob: Buffer.from([0, 255, 16, 128]).toString('base64') },
    ]);
    expect((await client.readResource('note://several')).contents.map(({ uri }) => uri)).toEqual([
      'note://several/1',
      'note://several/2',
    ]);
    const [one] = wire.answer('resources/read').result.contents as Json[];
    expect('_meta' in (one as Json)).toBe(from(variant, '2025-06-18'));
    expect((await client.readResource('note://by/b')).contents[0]).toMatchObject({
      uri: 'note://by/b',
      text: 'second',
    });
  });

  it('reports a missing resource with the error of the protocol version [resources.read.not-found-32602, resources.read.not-found-no-empty-contents, errors.retired-codes-not-emitted, compat.legacy-wire-restored, resources.security.uris-validated]', async () => {
    const { client } = rig();
    const rpcCode = is(variant, newest) ? -32602 : -32002;
    await expect(client.readResource('note://absent')).rejects.toMatchObject({
      rpcCode,
      data: { uri: 'note://absent' },
    });
    await expect(client.readResource('note://by/zzz')).rejects.toMatchObject({ rpcCode });
    await expect(client.readResource('note://by/..%2Fa')).rejects.toMatchObject({ rpcCode });
  });

  it('sends the lifetime of lists and contents, if the version has it [caching.hints-required, caching.shape, caching.ttl-non-negative, caching.same-scope-all-pages]', async () => {
    const { client, wire } = rig();
    await client.call('resources/read', { uri: 'note://several' });
    await client.call('tools/list');
    await client.call('prompts/list');
    await client.call('resources/list');
    await client.call('resources/templates/list');
    for (const method of [
      'resources/read',
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ]) {
      const { ttlMs, cacheScope, resultType } = wire.answer(method).result as Json;
      expect([ttlMs, cacheScope, resultType]).toEqual(
        is(variant, newest) ? [0, 'private', 'complete'] : [undefined, undefined, undefined],
      );
    }
  });

  it('requests a cached result once [caching.key-method-and-params]', async () => {
    const { client, wire } = rig();
    for (let i = 0; i < 3; i++) await client.readResource('note://all');
    // The first read, in a test before, may be kept still.
    expect(wire.sent('client', 'resources/read').length).toBe(is(variant, newest) ? 0 : 3);
    await client.readResource('note://picture');
    expect(wire.sent('client', 'resources/read').at(-1)?.uri).toBe('note://picture');
  });

  it('lists prompts with the members of the protocol version [prompts.list.answered, prompts.capability-declared, schema.request.prompts-list, schema.result.prompts-list, schema.result.prompts-list.full, schema.type.prompt, schema.type.prompt-argument, schema.type.prompt.title-and-meta, schema.type.prompt-argument.title, schema.type.prompt.icons]', async () => {
    const { client, wire } = rig();
    expect((await all(client.listPrompts())).map(({ name }) => name)).toEqual(['plain', 'letter', 'gallery', 'asked']);
    const letter = (wire.answer('prompts/list').result.prompts as Json[])[1] as Json;
    const title = from(variant, '2025-06-18') ? { title: 'To' } : {};
    expect((letter.arguments as Json[])[0]).toEqual({
      name: 'to',
      description: 'Who gets it',
      required: true,
      ...title,
    });
    expect(['title' in letter, '_meta' in letter]).toEqual([from(variant, '2025-06-18'), from(variant, '2025-06-18')]);
    expect('icons' in letter).toBe(from(variant, '2025-11-25'));
  });

  it('returns prompts with every kind of content [schema.request.prompts-get, schema.request.prompts-get.full, schema.result.prompts-get, schema.result.prompts-get.full, schema.type.prompt-message, schema.type.prompt-message.audio, schema.type.prompt-message.resource-link, prompts.content.image-base64, prompts.content.audio-base64, prompts.content.embedded-resource-members]', async () => {
    const { client, wire } = rig();
    const { messages, description } = await client.prompts.letter({ to: 'Ada', city: 'London' });
    expect(description).toBe('Writes a letter');
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: 'A letter to Ada in London.' } },
      { role: 'assistant', content: { type: 'text', text: 'Gladly.' } },
    ]);
    await client.prompts.gallery();
    const sent = (wire.answer('prompts/get').result.messages as { content: Json }[]).map(({ content }) => content);
    expect(sent.map(({ type }) => type)).toEqual([
      'image',
      from(variant, '2025-03-26') ? 'audio' : 'text',
      'resource',
      from(variant, '2025-06-18') ? 'resource_link' : 'text',
    ]);
    expect(sent[0]).toEqual({ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' });
    expect(sent[2]?.resource).toEqual({ uri: 'note://all', mimeType: 'text/plain', text: 'first' });
    expect('ttlMs' in (wire.answer('prompts/get').result as Json)).toBe(false);
  });

  it('rejects unknown prompts and invalid arguments [base.error.invalid-params, prompts.security.validated]', async () => {
    const { client, wire } = rig();
    await expect(client.call('prompts/get', { name: 'absent' })).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.call('prompts/get', { name: 'letter' })).rejects.toMatchObject({ rpcCode: -32602 });
    wire.excuseClient();
    await expect(client.call('prompts/get', { name: 'letter', arguments: { to: 7 } } as never)).rejects.toMatchObject({
      rpcCode: -32602,
    });
  });

  it('completes arguments of prompts and templates [completion.capability-declared, completion.max-100-values, schema.request.completion-complete, schema.result.completion-complete, schema.result.completion-complete.full]', async () => {
    const { client, wire } = rig();
    const ref = { type: 'ref/prompt' as const, name: 'letter' };
    expect(await client.complete({ ref, argument: { name: 'to', value: 'a' } })).toMatchObject({
      values: ['Ada', 'Alan'],
      total: 2,
      hasMore: false,
    });
    const many = await client.complete({ ref, argument: { name: 'number', value: '' } });
    expect([many.values.length, many.total, many.hasMore]).toEqual([100, 250, true]);
    const template = { type: 'ref/resource' as const, uri: 'note://by/{title}' };
    expect((await client.complete({ ref: template, argument: { name: 'title', value: 'b' } })).values).toEqual(['b']);
    const declared = client.server.capabilities.completions;
    expect(declared).toEqual({});
    expect('ttlMs' in (wire.answer('completion/complete').result as Json)).toBe(false);
  });

  it('passes the other arguments of a completion, if the protocol version sends them [schema.request.completion-complete.context]', async () => {
    const { client, wire } = rig();
    const argument = { name: 'city', value: 'L' };
    const ref = { type: 'ref/prompt' as const, name: 'letter' };
    const { values } = await client.complete({ ref, argument, context: { arguments: { to: 'Ada' } } });
    expect(values).toEqual(from(variant, '2025-06-18') ? ['London', 'Leeds'] : []);
    expect('context' in (wire.sent('client', 'completion/complete')[0] as Json)).toBe(from(variant, '2025-06-18'));
  });

  it('rejects invalid completions [completion.security.inputs-validated]', async () => {
    const { client, wire } = rig();
    const argument = { name: 'to', value: 'a' };
    await expect(client.complete({ ref: { type: 'ref/prompt', name: 'absent' }, argument })).rejects.toMatchObject({
      rpcCode: -32602,
    });
    await expect(client.complete({ ref: { type: 'ref/resource', uri: 'x://{y}' }, argument })).rejects.toMatchObject({
      rpcCode: -32602,
    });
    wire.excuseClient();
    await expect(client.complete({ ref: { type: 'ref/other' } as never, argument })).rejects.toMatchObject({
      rpcCode: -32602,
    });
    await expect(
      client.complete({ ref: { type: 'ref/prompt', name: 'letter' }, argument: { name: 'to', value: 7 } as never }),
    ).rejects.toMatchObject({ rpcCode: -32602 });
  });
});

describeMatrix(
  'pages',
  (rig, variant) => {
    it('returns every list in pages, followed to the end [pagination.operations, pagination.next-cursor-when-more, pagination.page-size-not-assumed, pagination.cursor-opaque, pagination.cursor-param, schema.type.paginated-request, schema.type.paginated-request.params-required, schema.type.paginated-result, schema.type.cursor, caching.key-cursor]', async () => {
      const { client, wire } = rig();
      const names = (await all(client.listTools())).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.length).toBeGreaterThan(20);
      const requests = wire.sent('client', 'tools/list').map(({ cursor }) => cursor);
      const given = wire.crossings.flatMap(({ from: by, value }) => {
        const { result } = value as { result?: { tools?: unknown; nextCursor?: string } };
        return by === 'server' && result?.tools ? [result.nextCursor] : [];
      });
      expect(requests).toEqual([undefined, ...given.slice(0, -1)]);
      expect(given.at(-1)).toBeUndefined();
      expect(requests.length).toBe(Math.ceil(names.length / 2));
      expect((await all(client.listResources())).length).toBe(6);
      expect((await all(client.listPrompts())).length).toBe(4);
      expect((await all(client.listResourceTemplates())).length).toBe(1);
    });

    it('rejects a cursor that it did not issue [base.error.invalid-params]', async () => {
      const { client } = rig();
      await expect(client.call('tools/list', { cursor: 'made up' })).rejects.toMatchObject({ rpcCode: -32602 });
    });

    it('treats an empty cursor as the start, and sends no cursor as null', async () => {
      const { client, wire } = rig();
      const { tools } = await client.call('tools/list', { cursor: '' });
      expect(tools.length).toBe(2);
      wire.excuseClient();
      const again = await client.call('tools/list', { cursor: null } as never);
      expect(again.tools).toEqual(tools);
    });

    it('sends the same scope on all pages [caching.same-scope-all-pages]', async () => {
      const { client, wire } = rig();
      await all(client.listPrompts());
      const scopes = wire.crossings.flatMap(({ value }) => {
        const { result } = value as { result?: { prompts?: unknown; cacheScope?: string; ttlMs?: number } };
        return result?.prompts ? [[result.cacheScope, result.ttlMs]] : [];
      });
      if (is(variant, newest))
        expect(scopes).toEqual([]); // kept since the first test
      else
        expect(scopes).toEqual([
          [undefined, undefined],
          [undefined, undefined],
        ]);
    });
  },
  { server: { pageSize: 2, cache: { ttlMs: 60_000, cacheScope: 'public' } } },
);
