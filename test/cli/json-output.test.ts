import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, prompt, resource, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSchemas, readSchema } from '../../scripts/json-schemas.mjs';
import { root } from '../docs/pages.js';
import { isFull } from '../support/extent.js';
import { buildCommand, EVERYTHING, projectWith, runTenon, shopEntry, tenon } from './command.js';
import { schemaNames } from './json-schemas.js';

let project: Awaited<ReturnType<typeof projectWith>>;
let remote: HttpServer;
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({ shop: shopEntry() });
  const fail = tool({
    run: () => {
      throw new Error('no');
    },
  });
  const server = createServer({
    name: 'remote',
    version: '1.0.0',
    tools: { ping: tool({ run: () => 'pong' }), fail },
    prompts: { greet: prompt({ run: () => 'hello' }) },
    resources: { 'note://1': resource({ read: () => 'a note' }) },
  });
  remote = await serveHttp(server, { port: 0 });
  await project.write('policy.json', { fallback: 'deny', rules: [{ tool: 'ping', action: 'allow' }] });
  await mkdir(project.path('sdk/node_modules'), { recursive: true });
  await symlink(join(root, 'node_modules/typescript-5'), project.path('sdk/node_modules/typescript'), 'junction');
  await project.write('sdk/package.json', { dependencies: { '@modelcontextprotocol/sdk': '1.32.2' } });
  await project.write(
    'sdk/index.js',
    "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nnew McpServer({ name: 'a' });",
  );
  await project.write('api.json', {
    openapi: '3.0.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://example.com' }],
    paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'pets' } } } } },
  });
});
afterAll(async () => {
  await remote.close();
  await project.remove();
});

describe('the JSON of commands', () => {
  it.runIf(isFull)(
    'matches published schemas, which `npm run docs:schemas` writes [cli.json]',
    () => {
      const schemas = createSchemas();
      expect(
        Object.keys(schemas)
          .map(name => name.replace('.json', ''))
          .sort(),
      ).toEqual(schemaNames().sort());
      for (const [name, text] of Object.entries(schemas)) expect(readSchema(name), name).toBe(text);
    },
    60_000,
  );

  it.each<readonly [line: string, code: number]>([
    ['list URL', 0],
    ['call URL ping', 0],
    ['call URL fail', 5],
    ['call URL none', 2],
    ['read URL note://1', 0],
    ['prompt URL greet', 0],
    ['tasks URL list', 1],
    ['skills list URL', 1],
    ['types URL', 0],
    ['types URL --out server.d.ts', 0],
    ['types URL --out server.d.ts --check', 0],
    ['generate cli URL', 0],
    ['doctor URL', 0],
    ['answer', 0],
    ['agent skill', 0],
    ['daemon status', 1],
    ['search notes', 4],
    ['add notes https://example.com/mcp --host cursor --project', 0],
    ['sync --from mcp.json --host cursor --project --yes', 0],
    ['remove notes --host cursor --project', 0],
    ['lock --trust --yes', 0],
    ['lock --check --trust', 0],
    ['policy explain policy.json remote/ping', 0],
    ['policy lint policy.json', 1],
    ['policy schema', 0],
    ['completion zsh', 0],
    ['completion zsh -- tenon lis', 0],
    ['schema', 0],
    ['schema list', 0],
    ['approvals list --store state.sqlite', 1],
    ['import-openapi api.json', 0],
    ['migrate sdk --dry-run', 0],
    ['init made --no-install --no-input', 0],
    ['list http://127.0.0.1:9/mcp', 4],
    ['list no-such-server', 2],
    ['gateway --no-such', 2],
  ])('equals all output of `tenon %s --json` [cli.json]', async (line, code) => {
    const [name = '', ...rest] = line.replace('URL', remote.url).split(' ');
    const dashes = rest.indexOf('--');
    const args = [name, ...rest.toSpliced(dashes < 0 ? rest.length : dashes, 0, '--json')];
    const ended = await runTenon(project.folder, args, { TENON_REGISTRY_URL: 'http://127.0.0.1:9' });
    expect(ended.code, ended.err).toBe(code);
    const lines = ended.out.split('\n').filter(Boolean);
    // The test helper checks each line by the schema of the command.
    for (const each of lines) JSON.parse(each);
    if ([1, 2, 3, 4].includes(code) && lines.length === 0)
      expect(JSON.parse(ended.err.trim())).toMatchObject({ code: expect.any(String), exit: code });
    else expect(lines.length).toBeGreaterThan(0);
  });

  it('equals one object for a server with everything, from the built command [cli.json]', async () => {
    const { code, out, err } = await tenon(project.folder, ['list', '--json', '--', ...EVERYTHING]);
    expect([code, out.split('\n')]).toEqual([0, [expect.stringContaining('"tools":['), '']]);
    expect(err).not.toContain('{"');
  });

  it('has a schema that `tenon schema` prints [cli.json]', async () => {
    expect((await runTenon(project.folder, ['schema'])).out.trim().split('\n')).toEqual(schemaNames());
    const { out } = await tenon(project.folder, ['schema', 'list']);
    expect(JSON.parse(out)).toEqual(JSON.parse(readSchema('list.json')));
    const missed = await runTenon(project.folder, ['schema', 'lits']);
    expect([missed.code, missed.err]).toEqual([2, expect.stringContaining('list')]);
    // `note` has a schema, but is no command.
    const { err } = await runTenon(project.folder, ['schema', 'nope']);
    expect(err).toContain('schema of a command "nope" not found. Use one of: add, agent');
  });
});
