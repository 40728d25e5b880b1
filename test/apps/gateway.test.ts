/** Pages of two servers with one address and equal names of tools, behind a gateway, in Chromium. */
import { createHost } from '@tenon/host';
import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { findBrowser, skipMessage } from '../../scripts/browser.mjs';
import { waitInPage } from '../support/wait-in-page.js';
import { asHtml, bundleForPage, openAppBrowser } from './app-browser.js';
import { createAppTestServer } from './test-server.js';

const { browser: installed, errors } = await findBrowser();
if (!installed) console.log(skipMessage(errors));

describe.runIf(installed)('pages of two servers behind a gateway', () => {
  it('are shown and call tools of their own server on every version [ext-apps.gw-same-server]', async () => {
    if (!installed) throw new Error('no browser');
    const [hostScript = '', pageScript = ''] = await Promise.all(
      ['programs/host.ts', 'programs/page.ts'].map(bundleForPage),
    );
    const create = (title: string) =>
      createAppTestServer(() => asHtml(pageScript).replace('<html', `<html data-server="${title}"`));
    const host = await createHost({ servers: { a: { service: create('a') }, b: { service: create('b') } } });
    const app = await openAppBrowser(installed, { hostScript, html: () => '', server: host.toServer() });
    try {
      for (const version of ['2025-06-18', '2025-11-25', '2026-07-28'])
        for (const label of ['a', 'b']) {
          await app.run(`
            await reconnect('${version}');
            globalThis.view = await show('${label}__chart', '${app.sandboxOrigin}/app');
            view.sendToolInput({ a: 1 });
            view.sendToolResult(await client.callTool('${label}__chart'));
            await view.ready;
          `);
          const frame = await app.appFrame();
          await waitInPage(frame, 'globalThis.host !== undefined');
          const outcome = await frame.evaluate(`(async () => {
            const { doubled } = await host.tools.double({ value: 4 });
            const refused = await host.callTool('secret').catch(error => error.code);
            return { server: document.documentElement.dataset.server, doubled, refused };
          })()`);
          expect({ version, ...(outcome as object) }).toEqual({ version, server: label, doubled: 8, refused: -32602 });
          await app.run('await view.close()');
        }
    } finally {
      await app.close();
      await host.close();
    }
  });

  it('read the pages by the address that the gateway shows', async () => {
    const create = (title: string) => createAppTestServer(() => title);
    const host = await createHost({ servers: { a: { service: create('a') }, b: { service: create('b') } } });
    const client = await connect(host.toServer());
    const { resources } = await client.call('resources/list');
    const pages = resources.filter(({ uri }) => uri.endsWith('page.html')).map(({ uri }) => uri);
    expect(pages).toEqual(['ui://a/test/page.html', 'ui://b/test/page.html']);
    await client.close();
    await host.close();
  });
});
