/** Apps in the page of the console: shown at sizes and in themes, on the wire, and kept in their sandbox. */
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost } from '@tenon/host';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CallFigures } from '../../packages/cli/src/console/gateway/call-figures.js';
import { ConsoleGateway } from '../../packages/cli/src/console/gateway/console-gateway.js';
import { createGatewayTarget } from '../../packages/cli/src/console/open-gateway-console.js';
import { listServerStates } from '../../packages/cli/src/gateway/gateway-status.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
import { createAppServer } from './fixtures/app-server.js';
import { collectFaults, type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

/** A listener that counts the requests that reach it. */
async function openForeign() {
  const requests: string[] = [];
  const server: Server = createHttpServer(({ url = '' }, response) => {
    requests.push(url);
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('foreign');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise<void>(resolve => server.close(() => resolve()));
  return { requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

describe.skipIf(!found)('apps in the page', () => {
  let console: OpenedPage;
  let foreign: Awaited<ReturnType<typeof openForeign>>;
  let allowed: typeof foreign;
  /** Origin of the frames of apps. */
  let sandbox = '';

  beforeAll(async () => {
    if (!found) return;
    [foreign, allowed] = await Promise.all([openForeign(), openForeign()]);
    const target = createAppServer(foreign.origin, allowed.origin);
    console = await openPage(found, { targets: [{ name: 'shop', target: { resolved: { target, label: 'shop' } } }] });
  });
  afterEach(async () => {
    // The browser reports what the policy of an app has refused, and requests to its own sandbox are expected.
    const faults = console.faults
      .splice(0)
      .filter(
        each =>
          !(sandbox !== '' && each.startsWith(sandbox)) &&
          !each.startsWith(allowed.origin) &&
          !each.startsWith(foreign.origin) &&
          !/Content Security Policy|sandbox|about:srcdoc/i.test(each),
      );
    expect(faults).toEqual([]);
    expect(foreign.requests).toEqual([]);
  });
  afterAll(async () => {
    await console?.close();
    await foreign?.close();
    await allowed?.close();
  });

  const frame = () => console.page.frameLocator('.app-frame iframe').frameLocator('iframe');
  const press = (name: string) => frame().getByRole('button', { name, exact: true }).click();
  const expectText = (text: string | RegExp) => frame().getByText(text).first().waitFor();
  const rows = () => console.opened.rows().filter(({ hop }) => hop === 'app');
  const openApp = async (query = '') => {
    await console.show(`/s/shop/apps/price${query}`);
    await expectText(/^inner/);
    await console.page.getByText(/^shown/).waitFor();
  };

  it('opens no second origin before an app is opened, and shows the result of a call in it [con.apps]', async () => {
    const { page, opened, show } = console;
    await opened.waitFor('server', ({ server }) => server.name === 'shop' && server.counts?.apps === 3);
    await show('/s/shop/tools/price');
    const before = await page.request.get(opened.origin);
    expect(before.headers()['content-security-policy']).toContain("frame-src 'none'");
    await page.getByRole('textbox', { name: 'item' }).fill('glue');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('link', { name: 'Open app' }).click();
    await expectText('result: glue costs 4');
    await expectText('input: {"item":"glue"}');
    sandbox = new URL((await page.locator('.app-frame iframe').getAttribute('src')) ?? '').origin;
    expect(sandbox).not.toBe(opened.origin);
    const after = await page.request.get(opened.origin);
    expect(after.headers()['content-security-policy']).toContain(`frame-src ${sandbox};`);
    await page.getByText('It requests camera. The console grants no permissions.').waitFor();
  });

  it('lists the tools with an app, and none for a tool without', async () => {
    const { page, show } = console;
    await show('/s/shop');
    await page.locator('.server-tabs').getByRole('link', { name: 'apps 3' }).click();
    await page.getByRole('link', { name: /^attack/ }).waitFor();
    expect(await page.locator('nav.tools li').count()).toBe(3);
    await show('/s/shop/tools/plain');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('link', { name: 'compare' }).waitFor();
    expect(await page.getByRole('link', { name: 'Open app' }).count()).toBe(0);
  });

  it('gives the app each width inside of its border, and the theme of the console or another one', async () => {
    const { page } = console;
    await page.emulateMedia({ colorScheme: 'light' });
    await openApp();
    const choose = (name: string) => page.getByRole('button', { name, exact: true }).click();
    for (const width of ['390', '768']) {
      await choose(width);
      await expectText(`inner: ${width}`);
      await expectText(`container: ${width}`);
    }
    await choose('full');
    await expectText(/^inner: 1\d\d\d/);
    await expectText('theme: light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectText('theme: dark');
    await choose('light');
    await expectText('theme: light');
    expect(new URL(page.url()).searchParams.get('theme')).toBe('light');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(async () => (await page.locator('.app-frame iframe').boundingBox())?.height).toBe(420);
  });

  it('gives the app another locale and the safe area of a phone, also after a reload [con.apps]', async () => {
    const { page } = console;
    await openApp();
    await expectText('area: 0 0');
    await page.getByRole('textbox', { name: 'locale' }).fill('de-AT');
    await page.keyboard.press('Enter');
    await expectText('locale: de-AT');
    await page.getByRole('button', { name: 'phone', exact: true }).click();
    await expectText('area: 47 34');
    await page.reload();
    await expectText('locale: de-AT');
    await expectText('area: 47 34');
  });

  it('puts the messages of app and page on the wire, with secrets masked, and calls a tool for the app', async () => {
    const { page, opened } = console;
    await openApp();
    await press('price');
    await expectText('price: glue costs 4');
    await press('read');
    await expectText('read: ui://shop/prices.html');
    await expect
      .poll(
        () =>
          rows().filter(({ method, kind, name }) => method === 'tools/call' && kind === 'result' && name === 'price')
            .length,
      )
      .toBe(1);
    const request = rows().find(({ method, kind }) => method === 'tools/call' && kind === 'request');
    expect(request).toMatchObject({ from: 'client', server: 'shop' });
    const sent = opened
      .rows()
      .find(({ seq, method, hop }) => seq > (request?.seq ?? 0) && method === 'tools/call' && hop === undefined);
    expect(sent).toMatchObject({ kind: 'request', name: 'price' });
    expect(rows().map(({ method }) => method)).toEqual(
      expect.arrayContaining(['ui/initialize', 'ui/notifications/initialized', 'ui/notifications/size-changed']),
    );
    const { value } = (await opened.call('GET', `wire/${request?.seq}`)) as unknown as { value: unknown };
    expect(JSON.stringify(value)).not.toContain('sk-app-4f9a8b7c6d5e4f3a2b1c');
    await console.show('/wire?server=shop&is=app');
    await page.getByRole('option').filter({ hasText: 'tools/call' }).first().click();
    await page.locator('.detail .body').getByText('glue').first().waitFor();
  });

  it('refuses a tool that is not visible to apps, in the page and in the command', async () => {
    const { opened } = console;
    await openApp();
    const before = opened.rows().filter(({ method, name }) => method === 'tools/call' && name === 'advise').length;
    await press('advise');
    await expectText(/^advise: refused: Unknown tool: advise/);
    const { id } = await opened.call('POST', 'apps', { server: 'shop', tool: 'price', origin: opened.origin });
    const params = { name: 'advise', arguments: {} };
    const response = await opened.send('POST', `apps/${id}/calls`, { method: 'tools/call', params });
    expect(await response.json()).toMatchObject({ error: { cause: 'tool "advise": not visible to apps' } });
    const sent = opened
      .rows()
      .filter(({ method, name, hop }) => method === 'tools/call' && name === 'advise' && hop !== 'app');
    expect(sent).toHaveLength(before);
  });

  it('names what the policy has refused, without its query, and the member that allows it', async () => {
    const { page } = console;
    await openApp();
    await press('allowed');
    await expectText('allowed: 200');
    expect(allowed.requests).toEqual(['/ok?key=1']);
    await page.getByText('Nothing so far.').waitFor();
    await press('blocked');
    await press('eval');
    const findings = page.locator('.app-list').first();
    await findings.getByText(`${foreign.origin}/v1/items`, { exact: true }).waitFor();
    await findings
      .getByText(`To allow it, add "${foreign.origin}" to connectDomains in _meta.ui.csp of the resource.`)
      .waitFor();
    await findings.getByText('eval', { exact: true }).waitFor();
    await findings.getByText('No member of _meta.ui.csp allows it.').waitFor();
    expect(await page.locator('body').textContent()).not.toContain('token=secret');
    await press('leave');
    await findings.getByText('frame-src').waitFor();
  });

  it('opens a link of the app after a click only, and refuses it otherwise', async () => {
    const { page, context } = console;
    await context.route('https://shop.example/**', route => route.fulfill({ body: 'shop' }));
    await openApp();
    const pages = context.pages().length;
    await press('link');
    await page.getByText('https://shop.example/glue?from=app').waitFor();
    expect(context.pages()).toHaveLength(pages);
    await page.getByRole('button', { name: 'Refuse' }).click();
    await expectText(/^link: refused/);
    await press('link');
    const opening = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    const other = await opening;
    await other.waitForURL('https://shop.example/glue?from=app');
    expect(await other.evaluate('opener')).toBeNull();
    await other.close();
    await expectText('link: {}');
  });

  it('shows log lines, names a message that is too large, and closes an app that floods', async () => {
    const { page } = console;
    await openApp();
    await press('log');
    await page.getByText('log info: a line').waitFor();
    await press('huge');
    await expectText('huge: refused: The message is too large');
    await page.getByText('a message of the page is too-large').waitFor();
    await press('flood');
    await page.getByText('The app is closed: The page has sent too many messages').waitFor();
    expect(await page.locator('.app-frame iframe').count()).toBe(0);
    await page.getByRole('button', { name: 'Open again' }).click();
    await expectText(/^inner/);
  });

  it('keeps an app from the console, from its own storage, and from all that its policy does not allow', async () => {
    const { page, opened, show, context } = console;
    const pages = context.pages().length;
    await show('/s/shop/apps/attack');
    await expectText('end: attacked');
    const text = await frame().locator('p').allTextContents();
    const outcomes = Object.fromEntries(text.filter(line => line.includes(': ')).map(line => line.split(/: (.*)/s)));
    for (const name of 'read-parent read-top read-token own-storage own-cookie fetch-console fetch-sandbox fetch-foreign image script script-console socket navigate-top'.split(
      ' ',
    ))
      expect([name, outcomes[name]]).toEqual([name, expect.stringMatching(/^refused/)]);
    expect(outcomes.popup).toBe('no window');
    expect(context.pages()).toHaveLength(pages);
    expect(new URL(page.url()).origin).toBe(opened.origin);
    expect(await page.title()).toBe('Tenon console');
    const findings = page.locator('.app-list').first();
    for (const path of ['/fetch', '/image', '/script.js', '/beacon'])
      await findings.getByText(`${foreign.origin}${path}`, { exact: true }).waitFor();
    // A message to another window than the parent reaches neither the page nor the server.
    await expect.poll(() => rows().filter(({ method }) => method === 'ui/initialize').length).toBeGreaterThan(0);
    const { found: places } = await opened.call('POST', 'wire/search', {
      texts: ['"sent-to-top"', '"fixture"'],
      after: 0,
    });
    expect(places[0]).toEqual([]);
    expect(places[1]).not.toEqual([]);
    await press('submit');
    await expect.poll(() => console.faults.join('\n')).toContain("form-action 'none'");
  });

  it('serves the frame at its own host, for a frame and for the page that has opened it only', async () => {
    const { page, opened, context } = console;
    await openApp();
    const address = new URL((await page.locator('.app-frame iframe').getAttribute('src')) ?? '');
    const other = await context.newPage();
    const status = async (url: string) => (await other.goto(url))?.status();
    expect(await status(address.href)).toBe(403);
    expect(await status(`http://localhost:${address.port}${address.pathname}`)).toBe(421);
    expect(await status(`${address.origin}/`)).toBe(404);
    expect(await status(`${address.origin}/${'A'.repeat(43)}`)).toBe(404);
    await other.goto(allowed.origin);
    const faults = collectFaults(other, allowed.origin);
    await other.evaluate(`new Promise(resolve => {
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(address.href)};
      frame.onload = resolve;
      document.body.append(frame);
    })`);
    expect(faults.join('\n')).toMatch(/frame-ancestors/);
    await other.close();
    const server = await opened.send('POST', 'apps', { server: 'shop', tool: 'price', origin: allowed.origin });
    expect(server.status).toBe(400);
    allowed.requests.length = 0;
  });

  it('opens no app for a token that only reads, and lets none call', async () => {
    const { opened, context } = console;
    const { id } = await opened.call('POST', 'apps', { server: 'shop', tool: 'price', origin: opened.origin });
    const headers = { 'x-tenon-token': opened.readOnlyToken, 'content-type': 'application/json' };
    for (const path of ['apps', `apps/${id}/calls`, `apps/${id}/results`, `apps/${id}/messages`]) {
      const response = await fetch(`${opened.origin}/api/${path}`, { method: 'POST', headers, body: '{}' });
      expect([path, response.status]).toEqual([path, 403]);
    }
    expect((await fetch(`${opened.origin}/api/apps/${id}`, { method: 'DELETE', headers })).status).toBe(403);
    const reader = await context.newPage();
    await reader.goto(`${opened.origin}/s/shop/apps/price#token=${opened.readOnlyToken}`);
    await reader.getByText('Apps are shown by the page of an operator only.').waitFor();
    expect(await reader.locator('iframe').count()).toBe(0);
    await reader.close();
  });

  it('has no finding of axe, and is not wider than the page', async () => {
    const { page } = console;
    const open = async () => {
      await openApp('?width=768');
      await press('blocked');
      await page.locator('.app-list').first().getByText('connect-src').waitFor();
    };
    expect(await findAxeFindings(page, open)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

describe.skipIf(!found)('an app of a server behind a gateway', () => {
  it('is shown in the console of the gateway, and calls a tool by its name at the server [con.apps]', async () => {
    if (!found) return;
    const foreign = await openForeign();
    const service = createAppServer(foreign.origin, foreign.origin);
    const host = await createHost({ servers: { shop: { service } }, policy: [{ action: 'allow' }] });
    const gateway = new ConsoleGateway({
      host,
      figures: new CallFigures(),
      getStatus: () => ({
        files: [],
        endpoints: [],
        stdio: true,
        servers: listServerStates(host.describeServers(), []),
      }),
      onChange: () => {},
    });
    const console = await openPage(found, { gateway, targets: [createGatewayTarget(host, 'shop')] });
    const { page, opened, show } = console;
    try {
      await opened.waitFor('server', ({ server }) => server.counts?.apps === 3);
      await show('/s/shop/tools/shop__price');
      await page.getByRole('textbox', { name: 'item' }).fill('glue');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.getByRole('link', { name: 'Open app' }).click();
      const frame = page.frameLocator('.app-frame iframe').frameLocator('iframe');
      await frame.getByText('result: glue costs 4').waitFor();
      await frame.getByRole('button', { name: 'price', exact: true }).click();
      await frame.getByText('price: glue costs 4').waitFor();
      await frame.getByRole('button', { name: 'advise', exact: true }).click();
      await frame.getByText(/^advise: refused/).waitFor();
      const sent = opened.rows().filter(({ method, hop }) => method === 'tools/call' && hop !== 'app');
      expect(sent.filter(({ kind }) => kind === 'request').map(({ name }) => name)).toEqual([
        'shop__price',
        'shop__price',
      ]);
      expect(foreign.requests).toEqual([]);
    } finally {
      await console.close();
      await host.close();
      await foreign.close();
    }
  });
});
