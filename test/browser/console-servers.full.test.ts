/** The page of the console with servers of others, and with servers on each protocol version. Skipped, with the reason, without a browser. */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, protocolVersions, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { EVERYTHING } from '../cli/command.js';
import { bundleProgram, findOfficialServer } from '../interop/process.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const server = createServer({
  name: 'ours',
  version: '1.0.0',
  tools: {
    greet: tool({
      annotations: { readOnlyHint: true },
      input: { type: 'object' },
      async run(_, ctx) {
        const input = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
        const { content } = await ctx.elicit({ message: 'Who are you?', input });
        return `hello ${JSON.stringify(content)}`;
      },
    }),
    version: tool({ annotations: { readOnlyHint: true }, input: { type: 'object' }, run: () => 'one result' }),
  },
});
/** Versions on which servers cannot request forms have no elicitation. */
const WITHOUT_FORMS = ['2024-11-05', '2025-03-26'];

describe.skipIf(!found)('the page of the console', () => {
  let shown: OpenedPage;
  let page: OpenedPage['page'];
  let http: Awaited<ReturnType<typeof serveHttp>>;
  let folder: string;

  beforeAll(async () => {
    if (!found) return;
    folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-console-servers-')));
    await writeFile(join(folder, 'one.txt'), 'text of a file');
    http = await serveHttp(server, { port: 0 });
    const program = (name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => ({
      name,
      target: { resolved: { target: { command: process.execPath, args: [...args], env }, label: name } },
    });
    const fixture = (name: string) => bundleProgram(new URL(`../interop/fixtures/${name}.ts`, import.meta.url));
    const targets = [
      program('everything', EVERYTHING.slice(1)),
      program('filesystem', [findOfficialServer('server-filesystem'), folder]),
      program('memory', [findOfficialServer('server-memory')], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
      program('sdk-v1', fixture('sdk-v1-stdio')),
      program('sdk-v2', fixture('sdk-v2-stdio')),
      { name: 'ours', target: { resolved: { target: { url: http.url }, label: http.url } } },
      ...protocolVersions.map(version => ({
        name: version,
        target: { resolved: { target: { url: http.url }, label: http.url, settings: { protocolVersion: version } } },
      })),
    ];
    shown = await openPage(found, { targets });
    ({ page } = shown);
  });

  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await shown?.close();
    await http?.close();
    if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const isListed = (name: string) =>
    shown.opened.waitFor('server', event => event.server.name === name && event.server.counts !== null);

  /** Fills the fields of a tool by the form, and calls it by the keyboard. */
  const call = async (name: string, toolName: string, fields: Readonly<Record<string, string>>) => {
    await isListed(name);
    await shown.show(`/s/${name}/tools/${toolName}`);
    await page.getByRole('heading', { name: toolName, exact: true }).waitFor();
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(new RegExp(`^${label}\\b`)).fill(value);
    await page.keyboard.press('Control+Enter');
  };

  it('reads a file by the official filesystem server, and shows the structured content beside it [con.forms] [con.output]', async () => {
    await call('filesystem', 'read_text_file', { path: join(folder, 'one.txt') });
    await page.locator('.result').getByText('text of a file').first().waitFor();
    await call('filesystem', 'read_text_file', { path: '/outside.txt' });
    await page
      .locator('.result')
      .getByText(/Access denied/)
      .first()
      .waitFor();
  });

  it('fills a list of objects of the official memory server by the keyboard only [con.forms] [con.keys]', async () => {
    await isListed('memory');
    await shown.show('/s/memory/tools/create_entities');
    await page.getByRole('heading', { name: 'create_entities' }).waitFor();
    await page.getByRole('button', { name: 'Add item' }).first().press('Enter');
    await page.getByRole('textbox', { name: /^name/ }).press('A');
    await page.keyboard.press('Tab');
    await page.keyboard.type('B');
    await page.keyboard.press('Control+Enter');
    await page.locator('.result').getByText('entityType').first().waitFor();
  });

  it.each(['everything', 'sdk-v1', 'sdk-v2'])(
    'calls a tool of the server %s, and shows its result [con.multi]',
    async name => {
      const toolName = name === 'everything' ? 'get-sum' : 'add';
      await call(name, toolName, { a: '20', b: '22' });
      await page.locator('.result').getByText(/42/).first().waitFor();
    },
  );

  it.each(['sdk-v1', 'sdk-v2'])('shows each kind of content of the server %s [con.output]', async name => {
    await call(name, 'blocks', {});
    await page.locator('.result').getByText('words – ü 🜚').first().waitFor();
    await page.locator('.result').getByText('note://by/a').first().waitFor();
  });

  it.each(protocolVersions)(
    'answers an input request of a server over HTTP on %s [con.revision] [con.ask]',
    async version => {
      await isListed(version);
      await shown.show(`/s/${version}/tools/greet`);
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      if (WITHOUT_FORMS.includes(version)) {
        await page
          .locator('.result, .failure')
          .getByText(/elicitation/)
          .first()
          .waitFor();
        return;
      }
      const form = page.getByRole('form', { name: `elicitation of ${version}` });
      await form.getByRole('textbox', { name: /name/ }).fill('Ann');
      await form.getByRole('button', { name: 'Send' }).click();
      await page.locator('.result').getByText('hello {"name":"Ann"}').first().waitFor();
    },
  );

  it('names the differences of the HTTP requests of two versions in words [con.revision]', async () => {
    await isListed('ours');
    await shown.show('/s/ours/tools/version');
    await page.getByRole('button', { name: 'Compare versions' }).click();
    await page.getByText('Same result on 2025-11-25 and 2026-07-28').waitFor();
    await page.getByText('HTTP: request headers only on 2026-07-28: mcp-method and mcp-name.').waitFor();
    await page.getByText('HTTP: request headers only on 2025-11-25: mcp-session-id.').waitFor();
  });
});
