import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { textOf } from './collect.js';
import { gone } from './process.js';
import { allPages, type Visitor } from './visitor.js';

/** A client of an official SDK, connected to our server with pages of five. */
export interface Visit {
  readonly name: string;
  open(): Promise<Visitor>;
  /** Runs when the client has closed. */
  stop?(): Promise<void>;
  /** What is agreed on. */
  readonly revision: string;
}

const newest = '2026-07-28';
const has = (revision: string, { revision: agreed }: Visit) => agreed >= revision;

/** A client of an official SDK with our server: every feature that both have. */
export function visits(visit: Visit): void {
  describe(visit.name, () => {
    let visitor: Visitor;
    beforeAll(async () => {
      visitor = await visit.open();
    });
    afterAll(async () => {
      await visitor?.client.close();
      if (visitor?.pid) await gone(visitor.pid);
      await visit.stop?.();
    });
    const now = () => visitor;
    offered(visit, now);
    tools(visit, now);
    along(visit, now);
    questions(visit, now);
    changes(now);
  });
}

function offered(visit: Visit, now: () => Visitor): void {
  it('negotiates', async () => {
    const { client, call } = now();
    expect(client.getServerVersion()).toMatchObject({ name: 'example', version: '1.2.3' });
    expect(client.getInstructions()).toBe('Ask before you act.');
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {} });
    expect(JSON.parse(textOf(await call('meta')))).toMatchObject({ revision: visit.revision, client: { name: expect.stringMatching(/^sdk-v/) } });
  });

  it('lists over all pages', async () => {
    const { client } = now();
    const names = (await allPages<{ name: string }>(params => client.listTools(params), 'tools')).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['blocks', 'add', 'waits', 'together']));
    const uris = (await allPages<{ uri: string }>(params => client.listResources(params), 'resources')).map(({ uri }) => uri);
    expect(uris).toEqual(expect.arrayContaining(['note://all', 'note://by/a', 'note://by/b']));
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'note://by/{title}' }]);
    expect((await allPages<{ name: string }>(params => client.listPrompts(params), 'prompts')).map(({ name }) => name)).toContain('letter');
  });

  it('reads resources', async () => {
    const { client } = now();
    expect(await client.readResource({ uri: 'note://all' })).toMatchObject({ contents: [{ mimeType: 'text/plain', text: 'first\nsecond' }] });
    expect(await client.readResource({ uri: 'note://picture' })).toMatchObject({ contents: [{ blob: 'AP8QgA==' }] });
    expect((await client.readResource({ uri: 'note://several' })).contents).toHaveLength(2);
    expect(await client.readResource({ uri: 'note://by/b' })).toMatchObject({ contents: [{ text: 'second' }] });
    await expect(client.readResource({ uri: 'note://by/z' })).rejects.toMatchObject({ code: visit.revision === newest ? -32602 : -32002 });
  });

  it('gets prompts and completions', async () => {
    const { client } = now();
    expect(await client.getPrompt({ name: 'plain' })).toMatchObject({ messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }] });
    const letter = await client.getPrompt({ name: 'letter', arguments: { to: 'Ada', city: 'London' } });
    expect(letter.messages[0]).toMatchObject({ content: { text: 'A letter to Ada in London.' } });
    expect((await client.getPrompt({ name: 'gallery' })).messages).toHaveLength(4);
    await expect(client.getPrompt({ name: 'letter' })).rejects.toMatchObject({ code: -32602 });
    const ref = { type: 'ref/prompt', name: 'letter' };
    const context = has('2025-06-18', visit) ? { context: { arguments: { to: 'Ada' } } } : {};
    const city = await client.complete({ ref, argument: { name: 'city', value: 'L' }, ...context } as never);
    expect(city.completion.values).toEqual(has('2025-06-18', visit) ? ['London', 'Leeds'] : []);
    const number = await client.complete({ ref, argument: { name: 'number', value: '' } } as never);
    expect(number.completion).toMatchObject({ total: 250, hasMore: true });
    expect(number.completion.values).toHaveLength(100);
    const title = await client.complete({ ref: { type: 'ref/resource', uri: 'note://by/{title}' }, argument: { name: 'title', value: 'a' } } as never);
    expect(title.completion.values).toEqual(['a']);
  });
}

function tools(visit: Visit, now: () => Visitor): void {
  it('calls tools of every kind of answer', async () => {
    const { call } = now();
    const structured = has('2025-06-18', visit);
    const types = (await call('blocks')).content.map(({ type }) => type);
    expect(types).toEqual(['text', 'image', has('2025-03-26', visit) ? 'audio' : 'text', 'resource', 'resource', structured ? 'resource_link' : 'text']);
    const added = await call('add', { a: 2, b: 40 });
    expect(JSON.parse(textOf(added))).toEqual({ sum: 42, parts: [2, 40] });
    expect(added.structuredContent).toEqual(structured ? { sum: 42, parts: [2, 40] } : undefined);
    expect(JSON.parse(textOf(await call('primes')))).toEqual([2, 3, 5]);
    if (structured) expect((await call('told')).structuredContent).toEqual({ celsius: 12 });
    expect(textOf(await call('mirrored', { region: 'north – ü', count: 3 }))).toBe('north – ü 3');
    const all = await Promise.all(Array.from({ length: 20 }, (_, b) => call('add', { a: 1, b })));
    expect(all.map(result => JSON.parse(textOf(result)).sum)).toEqual(Array.from({ length: 20 }, (_, b) => b + 1));
  });

  it('is told what went wrong', async () => {
    const { call } = now();
    expect(await call('fails')).toMatchObject({ isError: true, content: [{ text: 'The cellar is locked' }] });
    expect(textOf(await call('throws'))).not.toContain('secret');
    await expect(call('refuses')).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('Out of order'), data: { until: 'noon' } });
    await expect(call('nowhere')).rejects.toMatchObject({ code: -32602 });
    const wrong = call('add', { a: 'two', b: 40 });
    if (has('2025-11-25', visit)) expect(await wrong).toMatchObject({ isError: true });
    else await expect(wrong).rejects.toMatchObject({ code: -32602 });
  });
}

/** What comes along with an answer. */
function along(visit: Visit, now: () => Visitor): void {
  it('hears progress', async () => {
    const seen: unknown[] = [];
    // A tool that pauses: the client of v1 forgets a call's listener before it hands out reports that came with the answer.
    expect(textOf(await now().call('paced', {}, { onprogress: progress => seen.push(progress) }))).toBe('done');
    const message = (step: number) => (has('2025-03-26', visit) ? { message: `step ${step}` } : {});
    expect(seen).toEqual([1, 2, 3].map(progress => ({ progress, total: 3, ...message(progress) })));
  });

  it('hears log messages from a level on', async () => {
    const { client, call, heard } = now();
    if (visit.revision === newest) await call('logs', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'warning' } });
    else {
      await client.setLoggingLevel('warning');
      await call('logs');
    }
    const levels = () => heard.filter(({ method }) => method === 'notifications/message').map(({ params }) => (params as { level: string }).level);
    await vi.waitFor(() => expect(levels()).toContain('emergency'));
    expect(levels()).toEqual(['warning', 'error', 'critical', 'alert', 'emergency']);
  });

  it('cancels', async () => {
    const { call } = now();
    const stop = new AbortController();
    const name = `${visit.name} ${Math.random()}`;
    await expect(call('waits', { name }, { signal: stop.signal, onprogress: () => stop.abort() })).rejects.toThrow();
    await vi.waitFor(async () => expect(textOf(await call('cancelled'))).toContain(name));
  });

  it('pings, and says that roots have changed', async () => {
    const { client } = now();
    if (visit.revision === newest) return expect(client.ping()).rejects.toThrow(/2026-07-28|not.*(support|exist)/i);
    await client.ping();
    await client.sendRootsListChanged();
  });
}

function questions(visit: Visit, now: () => Visitor): void {
  const forms = has('2025-06-18', visit);

  it('answers what the server asks', async () => {
    const { call, asked } = now();
    asked.length = 0;
    expect(JSON.parse(textOf(await call('rooted')))).toMatchObject([{ uri: 'file:///work' }]);
    expect(JSON.parse(textOf(await call('samples')))).toMatchObject({ model: 'echo', content: { text: 'You said: Hello' } });
    expect(asked).toEqual(['roots', 'sample']);
    if (forms) expect(JSON.parse(textOf(await call('formed')))).toMatchObject({ action: 'accept', content: { name: 'Ada' } });
    if (has('2025-11-25', visit)) {
      expect(textOf(await call('visits'))).toBe('accept');
      expect(JSON.parse(textOf(await call('uses')))).toMatchObject(['toolUse', { type: 'text' }]);
    }
  });

  if (!forms) return;
  it('answers questions one after the other, together, and those that are returned', async () => {
    const { call, client, asked } = now();
    asked.length = 0;
    expect(textOf(await call('dialogue', { topic: 'joints' }))).toBe('accept You said: accept accept true');
    expect(asked).toEqual(['form First, about joints?', 'sample', 'form Second?']);
    expect(textOf(await call('together'))).toBe('accept 1 echo');
    expect(textOf(await call('returns'))).toBe('2:Ada model');
    expect((await client.getPrompt({ name: 'asked' })).messages).toMatchObject([{ content: { text: 'Greet Ada.' } }]);
    expect(await client.readResource({ uri: 'note://asked' })).toMatchObject({ contents: [{ text: 'accept' }] });
  });
}

function changes(now: () => Visitor): void {
  const uri = 'note://by/a';

  it('hears of changes to a resource and to lists, and no longer when it has left', async () => {
    const { client, call, heard, listen } = now();
    const updates = () => heard.filter(({ method }) => method === 'notifications/resources/updated');
    const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: [uri] };
    const leave = listen ? await listen(filter) : () => client.unsubscribeResource({ uri });
    if (!listen) await client.subscribeResource({ uri });
    // Over HTTP a client of a session listens when its stream is open, of which it says nothing.
    await vi.waitFor(async () => {
      await call('touch', { uri });
      expect(updates()).not.toEqual([]);
    }, { interval: 50, timeout: 5000 });
    expect(updates()[0]).toMatchObject({ params: { uri } });
    await call('touch', { uri: 'note://by/b' });
    await call('grow');
    await vi.waitFor(() => {
      const methods = heard.map(({ method }) => method);
      for (const list of ['tools', 'prompts', 'resources']) expect(methods).toContain(`notifications/${list}/list_changed`);
    }, { timeout: 5000 });
    const before = updates().length;
    expect(updates().every(({ params }) => (params as { uri: string }).uri === uri)).toBe(true);
    await leave();
    await call('touch', { uri });
    await call('grow');
    expect(updates()).toHaveLength(before);
  });
}
