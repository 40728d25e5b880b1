/** The page and the host of the library with the official bridge on the other side, in Chromium. */
import { describe, expect, it } from 'vitest';
import { findBrowser, skipMessage } from '../../scripts/browser.mjs';
import { waitInPage } from '../support/wait-in-page.js';
import { asHtml, bundleForPage, openAppBrowser } from './app-browser.js';

const { browser: installed, errors } = await findBrowser();
if (!installed) console.log(skipMessage(errors));

/** Opens a host page with a page of an app. */
async function open(hostProgram: string, pageProgram: string) {
  if (!installed) throw new Error('no browser');
  const [hostScript = '', pageScript = ''] = await Promise.all([hostProgram, pageProgram].map(bundleForPage));
  const html = asHtml(pageScript);
  return { html, app: await openAppBrowser(installed, { hostScript, html: () => html }) };
}

describe.runIf(installed)('the official bridge in Chromium', () => {
  it('shows its page in the host of the library', async () => {
    const { app } = await open('programs/host.ts', 'programs/official-page.mjs');
    try {
      await app.run(`
        globalThis.view = await show('official', '${app.sandboxOrigin}/app');
        view.sendToolInput({ a: 1 });
        view.sendToolResult(await client.callTool('official'));
        await view.ready;
      `);
      const frame = await app.appFrame();
      await waitInPage(frame, 'globalThis.seen?.length === 2');
      const outcome = await frame.evaluate(`(async () => {
        const { structuredContent } = await app.callServerTool({ name: 'double', arguments: { value: 4 } });
        await app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'hello' }] });
        await app.openLink({ url: 'https://example.com/' });
        await app.updateModelContext({ structuredContent: { a: 1 } });
        const { mode } = await app.requestDisplayMode({ mode: 'fullscreen' });
        const refused = await app.callServerTool({ name: 'secret' }).catch(error => error.code);
        return { seen, structuredContent, mode, refused, theme: app.getHostContext().theme };
      })()`);
      expect(outcome).toEqual({
        seen: [
          ['input', { a: 1 }],
          ['result', [{ type: 'text', text: 'official' }]],
        ],
        structuredContent: { doubled: 8 },
        mode: 'fullscreen',
        refused: -32602,
        theme: 'dark',
      });
      const events = await app.run(
        `await view.close(); return events.filter(([name]) => !['traced', 'size'].includes(name))`,
      );
      expect(events).toEqual([
        ['message', [{ type: 'text', text: 'hello' }]],
        ['link', 'https://example.com/'],
        ['model-context', { structuredContent: { a: 1 } }],
        ['close', 'The host removes the page'],
      ]);
    } finally {
      await app.close();
    }
  });

  it('shows the page of the library in its host, with the sandbox of the library', async () => {
    const { app, html } = await open('programs/official-host.mjs', 'programs/page.ts');
    try {
      await app.run(`
        globalThis.bridge = await show('${app.sandboxOrigin}/app', ${JSON.stringify(html).replaceAll('\u2028', '')});
        await bridge.sendToolInput({ arguments: { a: 1 } });
        await bridge.sendToolResult({ content: [], structuredContent: { values: [1] } });
      `);
      const frame = await app.appFrame();
      await waitInPage(frame, `document.body.textContent.includes('result')`);
      const outcome = await frame.evaluate(`(async () => {
        const doubled = await host.tools.double({ value: 2 });
        const { contents } = await host.readResource('note://one');
        await host.openLink('https://example.com/');
        await host.sendMessage('hello');
        const mode = await host.requestDisplayMode('fullscreen');
        return { doubled, text: contents[0].text, mode, name: host.host.name, theme: host.context.theme };
      })()`);
      expect(outcome).toEqual({
        doubled: { doubled: 4 },
        text: 'read',
        mode: 'fullscreen',
        name: 'official-host',
        theme: 'light',
      });
      expect(await app.run(`await bridge.teardownResource({ reason: 'done' }); return events`)).toEqual([
        ['double', { value: 2 }],
        ['link', 'https://example.com/'],
        ['message', [{ type: 'text', text: 'hello' }]],
        ['context', { structuredContent: { teardown: 'done' } }],
      ]);
    } finally {
      await app.close();
    }
  });
});
