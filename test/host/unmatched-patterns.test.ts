import { createHost, type HostServer, type ServerSelection, type ToolSettings } from '@tenon/host';
import { connectPair } from '@tenon/testing';
import { createServer, prompt, resource, type TenonError, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collect } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const run = () => 'done';
const notes = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: {
    find: tool({ run }),
    delete_note: tool({ run }),
    list: tool({ input: z.object({ page: z.int().max(9).optional(), sort: z.string() }), run }),
  },
  prompts: { greet: prompt({ run }) },
  resources: { 'note://a': resource({ name: 'a', read: () => 'a' }) },
});

async function open(tools: ToolSettings | undefined, selection?: ServerSelection) {
  const errors: TenonError[] = [];
  const host = await createHost({
    servers: { notes: { service: notes, ...(tools ? { tools } : {}) } },
    onError: error => errors.push(error),
  });
  closing.push(() => host.close());
  const client = await connectPair(host.toServer(selection));
  closing.push(() => client.close());
  const getReports = () => errors.map(({ code, message }) => `${code} ${message}`);
  return { host, client, getReports };
}

describe('a default value of an override', () => {
  it('is reported once if the tool refuses it', async () => {
    const { client, getReports } = await open({ overrides: { list: { defaults: { page: 10, sort: 5 } } } });
    await collect(client.listTools());
    await collect(client.listTools());
    await retryUntilPasses(() => expect(getReports()).toHaveLength(1));
    expect(getReports()[0]).toMatch(/^host\/invalid-default .*`tools\.overrides\.list\.defaults`.*page.*sort/s);
  });

  it('is not reported if the tool accepts it, also without the other arguments', async () => {
    const { host, client, getReports } = await open({ overrides: { list: { defaults: { page: 9 } } } });
    await collect(client.listTools());
    host.update({
      servers: { notes: { service: notes, tools: { overrides: { list: { defaults: { page: '9' } } } } } },
    });
    await collect(client.listTools());
    await retryUntilPasses(() => expect(getReports()).toEqual([expect.stringContaining('page')]));
  });
});

describe('a setting without effect', () => {
  it.each<[ToolSettings, string]>([
    [{ exclude: ['delete_notes'] }, '"delete_notes" in `tools.exclude`'],
    [{ include: ['find', 'serch'] }, '"serch" in `tools.include`'],
    [{ overrides: { fnd: { title: 'Find' } } }, '"fnd" in `tools.overrides`'],
  ])('is reported once: %j', async (tools, text) => {
    const { client, getReports } = await open(tools);
    await collect(client.listTools());
    await collect(client.listTools());
    expect(getReports()).toEqual([expect.stringContaining(text)]);
    expect(getReports()[0]).toMatch(/^host\/no-match /);
  });

  it('is reported without a caller when the server is connected, with the similar name', async () => {
    const { host, getReports } = await open({ exclude: ['delete_notes'] });
    await host.connectServer('notes');
    await retryUntilPasses(() =>
      expect(getReports()).toEqual([expect.stringContaining('Did you mean "delete_note"?')]),
    );
  });

  it('is not reported for a pattern of any kind of entry that matches', async () => {
    const servers = ['notes/find', 'notes/gr*', 'notes/note://*'];
    const { host, getReports } = await open({ include: ['*'], exclude: ['DELETE_*'] }, { servers });
    await host.connectServer('notes');
    const { client } = host;
    await collect(client.listTools());
    expect(getReports()).toEqual([]);
  });

  it('is reported for a selection of entries, and for a selected server that does not exist', async () => {
    const { client, getReports } = await open(undefined, { servers: ['notes/find', 'notes/serch_*', 'other/x'] });
    expect((await collect(client.listTools())).map(({ name }) => name)).toEqual(['notes__find']);
    await retryUntilPasses(() =>
      expect(getReports()).toEqual([
        expect.stringMatching(/^host\/no-such-server .*"other"/),
        expect.stringMatching(/^host\/no-match .*"serch_\*" in `servers`/),
      ]),
    );
  });

  it('is reported again after the settings were changed', async () => {
    const { host, client, getReports } = await open({ exclude: ['a'] });
    await collect(client.listTools());
    host.update({ servers: { notes: { service: notes, tools: { exclude: ['b'] } } } });
    await collect(client.listTools());
    expect(getReports()).toEqual([expect.stringContaining('"a"'), expect.stringContaining('"b"')]);
  });
});

describe('a host', () => {
  const withSettings = (settings: object): Record<string, HostServer> => ({ notes: { service: notes, ...settings } });

  it.each([{ disable: true }, { tools: { includes: ['find'] } }, { tools: { overrides: { find: { hidden: true } } } }])(
    'refuses a server with an unknown setting: %j',
    async settings => {
      await expect(createHost({ servers: withSettings(settings) })).rejects.toMatchObject({ code: 'options/invalid' });
      const { host } = await open(undefined);
      expect(() => host.update({ servers: withSettings(settings) })).toThrow(/options|unknown/);
    },
  );

  it('refuses a selection and an update with an unknown name', async () => {
    const { host } = await open(undefined);
    const selection: object = { server: ['notes'] };
    const update: object = { polices: [] };
    expect(() => host.toServer(selection)).toThrow('"server"');
    expect(() => host.update(update)).toThrow('"polices"');
  });
});
