import { describe, expect, it } from 'vitest';
import { createFakeServer, HTML } from './fixtures/fake-host.js';
import { readApp } from './read-app.js';

const URI = 'ui://test/app.html';
const listed = [
  { uri: URI, _meta: { ui: { prefersBorder: true, csp: { connectDomains: ['https://listed.example'] } } } },
];

describe('readApp', () => {
  it('prefers the metadata of the contents to that of the list [ext-apps.resource-meta-precedence, ext-apps.csp-content-over-listing]', async () => {
    const own = { _meta: { ui: { csp: { connectDomains: ['https://own.example'] }, domain: 'a' } } };
    expect(await readApp(createFakeServer(own, listed).server, URI)).toMatchObject({
      csp: { connectDomains: ['https://own.example'] },
      prefersBorder: undefined,
      domain: 'a',
    });
    expect(await readApp(createFakeServer({}, listed).server, URI)).toMatchObject({
      csp: { connectDomains: ['https://listed.example'] },
      prefersBorder: true,
    });
    expect(await readApp(createFakeServer().server, URI)).toEqual({
      uri: URI,
      html: HTML,
      csp: {},
      permissions: {},
      prefersBorder: undefined,
      domain: undefined,
    });
  });

  it('reads text and base64', async () => {
    const blob = Buffer.from('<p>é').toString('base64');
    expect((await readApp(createFakeServer({ text: undefined, blob }).server, URI)).html).toBe('<p>é');
    await expect(readApp(createFakeServer({ text: undefined, blob: '*' }).server, URI)).rejects.toThrow(
      'expected text',
    );
  });

  it('reads a server without a list of resources', async () => {
    const { server } = createFakeServer();
    const listResources = () => {
      throw new Error('no resources/list');
    };
    expect((await readApp({ ...server, listResources }, URI)).html).toBe(HTML);
  });

  it('accepts the media type of apps in other spellings, and no other type', async () => {
    expect((await readApp(createFakeServer({ mimeType: 'Text/HTML; profile="mcp-app"' }).server, URI)).html).toBe(HTML);
    for (const mimeType of ['text/html', 'text/html+skybridge', 'application/json', undefined])
      await expect(readApp(createFakeServer({ mimeType }).server, URI)).rejects.toThrow(
        'expected contents with mimeType',
      );
    await expect(readApp(createFakeServer({ uri: 'ui://other' }).server, URI)).rejects.toThrow('expected contents');
  });

  it('rejects other URIs and pages that are too large', async () => {
    await expect(readApp(createFakeServer().server, 'https://a.example')).rejects.toThrow('begins with ui://');
    await expect(readApp(createFakeServer().server, URI, { maxHtmlLength: 3 })).rejects.toThrow(
      'at most 3 characters, got 21',
    );
  });
});
