import { expect, it } from 'vitest';
import { getText } from './collect.js';
import { type ConnectedSdkClient, collectPages } from './sdk-client.js';
import { newest, type SdkConnection, supportsVersion } from './sdk-connection.js';

/** What is there, and what it gives. */
export function testListings(visit: SdkConnection, now: () => ConnectedSdkClient): void {
  it('negotiates the newest common version', async () => {
    const { client, call } = now();
    expect(client.getServerVersion()).toMatchObject({ name: 'example', version: '1.2.3' });
    expect(client.getInstructions()).toBe('Ask before you act.');
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {} });
    expect(JSON.parse(getText(await call('meta')))).toMatchObject({
      version: visit.version,
      client: { name: expect.stringMatching(/^sdk-v/) },
    });
  });

  it('lists over all pages', async () => {
    const { client } = now();
    const names = (await collectPages<{ name: string }>(params => client.listTools(params), 'tools')).map(
      ({ name }) => name,
    );
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['blocks', 'add', 'waits', 'together']));
    const uris = (await collectPages<{ uri: string }>(params => client.listResources(params), 'resources')).map(
      ({ uri }) => uri,
    );
    expect(uris).toEqual(expect.arrayContaining(['note://all', 'note://by/a', 'note://by/b']));
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'note://by/{title}' },
    ]);
    expect(
      (await collectPages<{ name: string }>(params => client.listPrompts(params), 'prompts')).map(({ name }) => name),
    ).toContain('letter');
  });

  it('reads resources', async () => {
    const { client } = now();
    expect(await client.readResource({ uri: 'note://all' })).toMatchObject({
      contents: [{ mimeType: 'text/plain', text: 'first\nsecond' }],
    });
    expect(await client.readResource({ uri: 'note://picture' })).toMatchObject({ contents: [{ blob: 'AP8QgA==' }] });
    expect((await client.readResource({ uri: 'note://several' })).contents).toHaveLength(2);
    expect(await client.readResource({ uri: 'note://by/b' })).toMatchObject({ contents: [{ text: 'second' }] });
    const code = visit.version === newest ? -32602 : -32002;
    await expect(client.readResource({ uri: 'note://by/z' })).rejects.toMatchObject({
      code: now().codes?.[code] ?? code,
    });
  });

  it('gets prompts and completions', async () => {
    const { client } = now();
    expect(await client.getPrompt({ name: 'plain' })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
    });
    const letter = await client.getPrompt({ name: 'letter', arguments: { to: 'Ada', city: 'London' } });
    expect(letter.messages[0]).toMatchObject({ content: { text: 'A letter to Ada in London.' } });
    expect((await client.getPrompt({ name: 'gallery' })).messages).toHaveLength(4);
    await expect(client.getPrompt({ name: 'letter' })).rejects.toMatchObject({ code: -32602 });
    const ref = { type: 'ref/prompt', name: 'letter' };
    const context = supportsVersion('2025-06-18', visit) ? { context: { arguments: { to: 'Ada' } } } : {};
    const city = await client.complete({ ref, argument: { name: 'city', value: 'L' }, ...context } as never);
    expect(city.completion.values).toEqual(supportsVersion('2025-06-18', visit) ? ['London', 'Leeds'] : []);
    const number = await client.complete({ ref, argument: { name: 'number', value: '' } } as never);
    expect(number.completion).toMatchObject({ total: 250, hasMore: true });
    expect(number.completion.values).toHaveLength(100);
    const title = await client.complete({
      ref: { type: 'ref/resource', uri: 'note://by/{title}' },
      argument: { name: 'title', value: 'a' },
    } as never);
    expect(title.completion.values).toEqual(['a']);
  });
}

/** What tools answer. */
export function testTools(visit: SdkConnection, now: () => ConnectedSdkClient): void {
  it('calls tools with every kind of content', async () => {
    const { call } = now();
    const structured = supportsVersion('2025-06-18', visit);
    const types = (await call('blocks')).content.map(({ type }) => type);
    expect(types).toEqual([
      'text',
      'image',
      supportsVersion('2025-03-26', visit) ? 'audio' : 'text',
      'resource',
      'resource',
      structured ? 'resource_link' : 'text',
    ]);
    const added = await call('add', { a: 2, b: 40 });
    expect(JSON.parse(getText(added))).toEqual({ sum: 42, parts: [2, 40] });
    expect(added.structuredContent).toEqual(structured ? { sum: 42, parts: [2, 40] } : undefined);
    expect(JSON.parse(getText(await call('primes')))).toEqual([2, 3, 5]);
    if (structured) expect((await call('told')).structuredContent).toEqual({ celsius: 12 });
    expect(getText(await call('mirrored', { region: 'north – ü', count: 3 }))).toBe('north – ü 3');
    const all = await Promise.all(Array.from({ length: 20 }, (_, b) => call('add', { a: 1, b })));
    expect(all.map(result => JSON.parse(getText(result)).sum)).toEqual(Array.from({ length: 20 }, (_, b) => b + 1));
  });

  it('gets the errors of invalid and failed calls', async () => {
    const { call } = now();
    expect(await call('fails')).toMatchObject({ isError: true, content: [{ text: 'The cellar is locked' }] });
    expect(getText(await call('throws'))).not.toContain('secret');
    await expect(call('refuses')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('Out of order'),
      data: { until: 'noon' },
    });
    await expect(call('nowhere')).rejects.toMatchObject({ code: -32602 });
    const wrong = call('add', { a: 'two', b: 40 });
    if (supportsVersion('2025-11-25', visit)) expect(await wrong).toMatchObject({ isError: true });
    else await expect(wrong).rejects.toMatchObject({ code: -32602 });
  });
}
