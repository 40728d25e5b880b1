import type { Client } from 'tenon';
import { expect, it } from 'vitest';
import { collect, getText } from './collect.js';
import { notes } from './fixtures/offers.js';
import type { OfficialServer } from './server-types.js';

/** What is there, and what it gives. */
export function testListings(
  { info, version }: { readonly info: string; readonly version: string },
  client: () => Client<OfficialServer>,
): void {
  it('negotiates and lists over all pages', async () => {
    expect(client().server).toMatchObject({
      protocolVersion: version,
      info: { name: info },
      instructions: 'Ask before you act.',
    });
    expect((await collect(client().listTools())).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['add', 'ask', 'works']),
    );
    expect((await collect(client().listResources())).map(({ uri }) => uri)).toEqual([
      'note://all',
      'note://picture',
      'note://by/a',
      'note://by/b',
      'note://by/c',
    ]);
    expect(await collect(client().listResourceTemplates())).toMatchObject([
      { uriTemplate: 'note://by/{title}', name: 'note' },
    ]);
    expect(await collect(client().listPrompts())).toMatchObject([
      { name: 'letter', arguments: [{ name: 'to', required: true, description: 'Who gets it' }, { name: 'city' }] },
    ]);
  });

  it('calls tools', async () => {
    expect(await client().tools.add({ a: 2, b: 40 })).toEqual({ sum: 42 });
    const { content } = await client().callTool('blocks');
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'audio', 'resource', 'resource_link']);
    await expect(client().tools.fails()).rejects.toMatchObject({
      code: 'tool/failed',
      message: expect.stringContaining('The cellar is locked'),
    });
    // @ts-expect-error `a` is a number
    await expect(client().tools.add({ a: 'two', b: 40 })).rejects.toMatchObject({ code: 'tool/failed' });
    expect(getText(await client().callTool('meta', {}, { meta: { trace: 'x-1' } }))).toBe('x-1');
    const many = await Promise.all(Array.from({ length: 20 }, (_, b) => client().tools.add({ a: 1, b })));
    expect(many).toEqual(Array.from({ length: 20 }, (_, b) => ({ sum: b + 1 })));
  });

  it('reads resources, prompts and completions', async () => {
    expect(await client().readResource('note://all')).toMatchObject({
      contents: [{ mimeType: 'text/plain', text: 'first\nsecond\nthird' }],
    });
    expect(await client().readResource('note://picture')).toMatchObject({ contents: [{ blob: 'aGVsbG8=' }] });
    for (const [title, text] of Object.entries(notes))
      expect(await client().readResource(`note://by/${title}`)).toMatchObject({ contents: [{ text }] });
    await expect(client().readResource('other://x')).rejects.toMatchObject({ rpcCode: expect.any(Number) });
    const letter = await client().prompts.letter({ to: 'Ada', city: 'London' });
    expect(letter.messages).toMatchObject([{ role: 'user', content: { text: 'A letter to Ada in London.' } }]);
    // @ts-expect-error `to` is missing
    await expect(client().prompts.letter({})).rejects.toMatchObject({ rpcCode: -32602 });
    expect(
      await client().complete({ ref: { type: 'ref/prompt', name: 'letter' }, argument: { name: 'to', value: 'A' } }),
    ).toMatchObject({ values: ['Ada', 'Alan'] });
    const ref = { type: 'ref/resource', uri: 'note://by/{title}' } as const;
    expect(await client().complete({ ref, argument: { name: 'title', value: 'b' } })).toMatchObject({ values: ['b'] });
    await client().ping();
  });
}
