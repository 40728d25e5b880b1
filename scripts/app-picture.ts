/**
 * Draws the picture of the example `examples/apps` for the docs: shows the page in the host of the library, in Chromium.
 * Run it with `npx tsx scripts/app-picture.ts`.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { server } from '../examples/apps/server.ts';
import { bundleForPage, openAppBrowser } from '../test/apps/app-browser.js';
import { waitInPage } from '../test/support/wait-in-page.js';
import { findBrowser, skipMessage } from './browser.mjs';

const { browser, errors } = await findBrowser();
if (!browser) throw new Error(skipMessage(errors));
const hostScript = await bundleForPage('programs/host.ts');
const app = await openAppBrowser(browser, { hostScript, html: () => '', server });
try {
  await app.page.setViewportSize({ width: 560, height: 320 });
  await app.run(`
    globalThis.view = await show('showSales', '${app.sandboxOrigin}/app', { context: { theme: 'light' } });
    view.sendToolInput({ year: 2026 });
    view.sendToolResult(await client.callTool('showSales', { year: 2026 }));
    await view.ready;
  `);
  const frame = await app.appFrame();
  await waitInPage(frame, "document.querySelectorAll('rect').length === 6");
  await app.run("document.querySelector('iframe').style.cssText = 'width: 520px; height: 250px; border: 0'");
  const path = fileURLToPath(new URL('../docs/public/app-chart.png', import.meta.url));
  await writeFile(path, await app.page.locator('iframe').first().screenshot());
  console.log(path);
} finally {
  await app.close();
}
