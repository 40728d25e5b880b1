import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPair } from '@tenon/testing';
import { type Client, createServer, tool, toolError } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { appsExtension } from '../host.js';
import { type AppOptions, app, appOnly, supportsApps } from './app.js';

const output = z.object({ months: z.array(z.number()) });
const sales = tool({ description: 'Sales by month', output, run: () => ({ months: [1, 2] }) });
const html = '<!doctype html><title>Sales</title>';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

let client: Client | undefined;
afterEach(() => client?.close());

function createSalesServer(options: Partial<AppOptions> = {}) {
  const chart = app({ uri: 'ui://sales/chart.html', html, ...options } as AppOptions);
  return createServer({
    name: 'sales',
    version: '1.0.0',
    tools: {
      sales: chart.tool(sales, { text: ({ months }) => `${months.length} months` }),
      plain: chart.tool(tool({ run: () => 'plain' }), { text: () => 'never' }),
      failing: chart.tool(
        tool({
          output,
          run: () => {
            throw toolError('no data');
          },
        }),
        { text: () => 'never' },
      ),
      refresh: appOnly(tool({ output, run: () => ({ months: [3] }) })),
      which: tool({ run: (_, context) => String(supportsApps(context.client)) }),
    },
    resources: { ...chart.resources },
  });
}

async function open(isCapable: boolean, options?: Partial<AppOptions>, protocolVersion = '2025-11-25') {
  client = await connectPair(createSalesServer(options), {
    protocolVersion,
    ...(isCapable ? { extensions: [appsExtension] } : {}),
  });
  return client;
}

describe('app', () => {
  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'links its tools to the page in both spellings, on %s [ext-apps.tool-meta-shape, ext-apps.resource-uri-scheme, ext-apps.resource-exists, ext-apps.extension-id, ext-apps.reserved-names, ext.negotiation-client]',
    async protocolVersion => {
      const { listTools } = await open(true, { visibility: ['model', 'app'] }, protocolVersion);
      const tools = await collect(listTools());
      expect(tools.find(({ name }) => name === 'sales')?._meta).toEqual({
        ui: { resourceUri: 'ui://sales/chart.html', visibility: ['model', 'app'] },
        'ui/resourceUri': 'ui://sales/chart.html',
      });
      expect(tools.find(({ name }) => name === 'refresh')?._meta).toEqual({ ui: { visibility: ['app'] } });
    },
  );

  it('serves the page with its metadata [ext-apps.resource-mime-type, ext-apps.resource-content, ext-apps.resource-shape, ext-apps.resource-meta-shape, ext-apps.server-conformance-seven]', async () => {
    const ui = { csp: { connectDomains: ['https://api.example'] }, permissions: { camera: {} }, prefersBorder: true };
    const { readResource, listResources } = await open(true, { ...ui, title: 'Sales' });
    const page = { uri: 'ui://sales/chart.html', mimeType: 'text/html;profile=mcp-app', _meta: { ui } };
    expect((await readResource('ui://sales/chart.html')).contents).toEqual([{ ...page, text: html }]);
    expect(await collect(listResources())).toEqual([{ ...page, name: 'ui://sales/chart.html', title: 'Sales' }]);
  });

  it('gives clients without apps the text, and all the same structured content [ext-apps.text-fallback, ext-apps.content-always-meaningful, ext-apps.server-checks-capability, ext-apps.lib-variant-per-client]', async () => {
    const capable = await open(true);
    const shown = await capable.callTool('sales');
    expect(shown.content).toEqual([{ type: 'text', text: '{"months":[1,2]}' }]);
    await capable.close();
    const plain = await open(false);
    const fallback = await plain.callTool('sales');
    expect(fallback).toMatchObject({
      content: [{ type: 'text', text: '2 months' }],
      structuredContent: { months: [1, 2] },
    });
    expect((await plain.callTool('plain')).content).toEqual([{ type: 'text', text: 'plain' }]);
    expect(await plain.callTool('failing')).toMatchObject({ isError: true, content: [{ text: 'no data' }] });
  });

  it('hides tools for pages from clients without apps', async () => {
    const plain = await open(false);
    expect((await collect(plain.listTools())).map(({ name }) => name)).toEqual(['sales', 'plain', 'failing', 'which']);
    await expect(plain.callTool('refresh')).rejects.toMatchObject({ rpcCode: -32602 });
  });

  it('knows on each request if the client supports apps [ext-apps.client-capability, ext-apps.client-capability-per-request]', async () => {
    for (const protocolVersion of ['2025-11-25', '2026-07-28'])
      for (const isCapable of [true, false]) {
        const { callTool, close } = await open(isCapable, {}, protocolVersion);
        expect((await callTool('which')).content).toEqual([{ type: 'text', text: String(isCapable) }]);
        await close();
      }
    expect(
      supportsApps({ capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } } } }),
    ).toBe(false);
  });

  it('reads a file for each request', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-app-'));
    try {
      const file = join(folder, 'page.html');
      const { readResource } = await open(true, { html: undefined, file } as Partial<AppOptions>);
      for (const text of ['<p>one', '<p>two']) {
        await writeFile(file, text);
        expect((await readResource('ui://sales/chart.html')).contents).toMatchObject([{ text }]);
      }
    } finally {
      await rm(folder, { recursive: true, maxRetries: 10 });
    }
  });

  it('reads a page of another server, whose resources the page may load', async () => {
    const server = createHttpServer((_, response) => response.end('<html><head><title>Dev</title></head>'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    try {
      const { readResource } = await open(true, { html: undefined, url: `${origin}/a/` } as Partial<AppOptions>);
      expect((await readResource('ui://sales/chart.html')).contents).toMatchObject([
        {
          text: `<html><head><base href="${origin}/a/"><title>Dev</title></head>`,
          _meta: { ui: { csp: { resourceDomains: [origin], baseUriDomains: [origin] } } },
        },
      ]);
    } finally {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    }
  });

  it.each<[object, string]>([
    [{ uri: 'https://a.example' }, 'app "https://a.example": invalid `uri`'],
    [{ uri: 'ui://a/{b}' }, 'app "ui://a/{b}": invalid `uri`'],
    [{ uri: undefined }, 'app: invalid `uri`'],
    [{ html: undefined }, 'app "ui://a": invalid source'],
    [{ file: 'a.html' }, 'app "ui://a": invalid source'],
    [{ html: 3 }, 'invalid `html`'],
    [{ html: undefined, file: 3 }, 'invalid `file`'],
    [{ html: undefined, url: 'file:///etc/passwd' }, 'invalid `url`'],
    [{ html: undefined, url: 'http://' }, 'invalid `url`'],
    [{ visibility: [] }, 'invalid `visibility`'],
    [{ visibility: 'model' }, 'invalid `visibility`'],
    [{ visibility: ['user'] }, 'invalid `visibility/0`'],
    [{ permissions: { usb: {} } }, 'invalid `permissions/usb`'],
    [{ permissions: { camera: true } }, 'invalid `permissions/camera`'],
    [{ csp: { connectDomains: ["'unsafe-eval'"] } }, 'invalid `csp/connectDomains/0`'],
    [{ csp: { connectDomains: 'https://a.example' } }, 'invalid `csp/connectDomains`'],
    [{ csp: { connect: [] } }, 'invalid `csp/connect`'],
    [{ csp: 'none' }, 'invalid `csp`'],
    [{ prefersBorder: 'no' }, 'invalid `prefersBorder`'],
    [{ domain: 3 }, 'invalid `domain`'],
    [{ title: 3 }, 'invalid `title`'],
    [{ border: true }, 'unknown key "border"'],
  ])('rejects %o at the definition [ext-apps.lib-validate-at-start, ext-apps.lib-csp-origins]', (options, error) => {
    expect(() => app({ uri: 'ui://a', html, ...options } as AppOptions)).toThrow(
      expect.objectContaining({ code: 'app/definition', summary: expect.stringContaining(error) }),
    );
  });

  it.each<[unknown, object | undefined, string]>([
    [undefined, undefined, 'a tool of app "ui://a" is invalid'],
    [{ description: 'Sales' }, undefined, 'a tool of app "ui://a" is invalid'],
    [sales, { txt: () => '' }, 'unknown key "txt"'],
    [sales, { text: 'Sales' }, 'invalid `text`'],
    [sales, { visibility: [] }, 'invalid `visibility`'],
  ])('rejects the tool %o with %o at the definition', (definition, options, error) => {
    const chart = app({ uri: 'ui://a', html });
    expect(() => chart.tool(definition as typeof sales, options)).toThrow(
      expect.objectContaining({ code: 'app/definition', summary: expect.stringContaining(error) }),
    );
  });

  it('reports a text that is none, and fails the call', async () => {
    const errors: unknown[] = [];
    const chart = app({ uri: 'ui://a', html });
    const server = createServer({
      name: 'sales',
      version: '1.0.0',
      tools: { sales: chart.tool(sales, { text: (() => 3) as never }) },
      onError: error => errors.push(error),
    });
    client = await connectPair(server, {});
    expect(await client.callTool('sales')).toMatchObject({ isError: true });
    expect(errors).toMatchObject([{ code: 'app/text' }]);
  });
});

describe('appOnly', () => {
  it.each([[undefined], [false], ['no'], [Promise.resolve(true)]])(
    'hides a tool whose `visible` returns %o',
    async visible => {
      const server = createServer({
        name: 'sales',
        version: '1.0.0',
        tools: { refresh: appOnly({ ...sales, visible: () => visible as boolean }) },
      });
      client = await connectPair(server, { extensions: [appsExtension] });
      expect(await collect(client.listTools())).toEqual([]);
    },
  );
});
