/** Skills between the library and version 2.4 of the official SDK, in both directions. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import { createHost } from '@tenon/host';
import { skills } from '@tenon/skills';
import { skillsExtension, skillsOf } from '@tenon/skills/client';
import { connect, createServer } from 'tenon';
import { createHandler } from 'tenon/http';
import { describe, expect, it } from 'vitest';

const FILES = {
  'forms/SKILL.md':
    '---\nname: forms\ndescription: >-\n  Fills forms,\n  also long ones\nmetadata:\n  version: "1.0"\n---\n\nRead.\n',
  'forms/references/my notes.md': '# Notes\n',
  'forms/picture.png': Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xff]),
  'other/SKILL.md': '---\nname: other\ndescription: "Other: work"\n---\n',
};
const URL_OF_TEST = 'http://127.0.0.1/mcp';
const fetchFrom =
  (handle: (request: Request) => Promise<Response> | Response) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> =>
    handle(new Request(url, init));

describe('skills of the library', () => {
  it('are listed, read and verified by the client of SDK 2.4', async () => {
    const server = createServer({ name: 'skilled', version: '1.0.0', extensions: [skills(FILES)] });
    const handle = createHandler(server);
    const client = new Client({ name: 'sdk', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(URL_OF_TEST), { fetch: fetchFrom(handle) }));
    const all = new SkillsClient(client);
    expect([all.supported, all.directoryRead]).toEqual([true, true]);
    const { skills: found, invalid } = await all.list();
    expect([found.map(({ uri }) => uri), invalid]).toEqual([['skill://forms/SKILL.md', 'skill://other/SKILL.md'], []]);
    const { skill } = await all.get('skill://forms/SKILL.md');
    expect(await all.read(skill)).toMatchObject({ verified: true, frontmatter: skill.frontmatter });
    expect((await all.read(skill, 'references/my notes.md')).text).toBe('# Notes\n');
    expect([...(await all.read(skill, 'picture.png')).bytes]).toEqual([...FILES['forms/picture.png']]);
    const { resources } = await all.readDirectory('skill://forms');
    expect(resources.map(({ uri }) => uri).sort()).toEqual([
      'skill://forms/SKILL.md',
      'skill://forms/picture.png',
      'skill://forms/references',
    ]);
    await client.close();
  });
});

describe('skills of SDK 2.4', () => {
  it('are listed, read and verified by the client of the library', async () => {
    const catalog = await SkillCatalog.load(memorySkillFiles(FILES));
    const { fetch: handle } = createMcpHandler(() => {
      const server = new McpServer({ name: 'sdk', version: '1.0.0' });
      catalog.attach(server);
      return server;
    });
    const client = await connect({ url: URL_OF_TEST, fetch: fetchFrom(handle) }, { extensions: [skillsExtension] });
    const all = skillsOf(client);
    const { skills: found, errors } = await all.list();
    expect([found.map(({ name }) => name), errors]).toEqual([['forms', 'other'], []]);
    const skill = await all.get('skill://forms/SKILL.md');
    expect(await all.read(skill)).toMatchObject({ verified: true, text: FILES['forms/SKILL.md'] });
    expect((await all.read(skill, 'references/my%20notes.md')).text).toBe('# Notes\n');
    expect([...(await all.read(skill, 'picture.png')).bytes]).toEqual([...FILES['forms/picture.png']]);
    expect(await all.readDirectory('skill://forms')).toHaveLength(3);
    await client.close();
  });
});

describe('skills behind a gateway of both servers', () => {
  it('are listed, read and verified by both clients', async () => {
    const catalog = await SkillCatalog.load(memorySkillFiles(FILES));
    const { fetch: handleSdk } = createMcpHandler(() => {
      const server = new McpServer({ name: 'sdk', version: '1.0.0' });
      catalog.attach(server);
      return server;
    });
    const own = createServer({ name: 'skilled', version: '1.0.0', extensions: [skills(FILES)] });
    const host = await createHost({
      servers: { own: { service: own }, sdk: { url: URL_OF_TEST, fetch: fetchFrom(handleSdk) } },
    });
    const gateway = host.toServer();
    const uris = ['own', 'sdk'].flatMap(label => ['forms', 'other'].map(name => `skill://${label}/${name}/SKILL.md`));
    const client = await connect(gateway, { extensions: [skillsExtension] });
    const all = skillsOf(client);
    const { skills: found, errors } = await all.list();
    expect([found.map(({ uri }) => uri), errors]).toEqual([uris, []]);
    for (const skill of found) expect(await all.read(skill)).toMatchObject({ uri: skill.uri, verified: true });

    const sdk = new Client(
      { name: 'sdk', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { extensions: { [skillsExtension.id]: {} } } },
    );
    const fetch = fetchFrom(createHandler(gateway));
    await sdk.connect(new StreamableHTTPClientTransport(new URL(URL_OF_TEST), { fetch }));
    const ofSdk = new SkillsClient(sdk);
    const listed = await ofSdk.list();
    expect(listed.skills.map(({ uri }) => uri)).toEqual(uris);
    for (const skill of listed.skills) expect(await ofSdk.read(skill)).toMatchObject({ verified: true });
    await sdk.close();
    await client.close();
    await host.close();
  });
});
