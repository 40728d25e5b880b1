/** Apps in Chromium: the page, the sandbox at another origin, the host, and a server over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser, skipMessage } from '../../scripts/browser.mjs';
import { waitInPage } from '../support/wait-in-page.js';
import { type AppBrowser, asHtml, bundleForPage, openAppBrowser } from './app-browser.js';

const { browser: installed, errors } = await findBrowser();
if (!installed) console.log(skipMessage(errors));

describe.runIf(installed)('an app in Chromium', () => {
  let app: AppBrowser;
  let html: Record<string, string>;

  beforeAll(async () => {
    const [hostScript, pageScript] = await Promise.all(['programs/host.ts', 'programs/page.ts'].map(bundleForPage));
    html = {
      'ui://test/page.html': asHtml(pageScript ?? ''),
      'ui://test/hostile.html': '<!doctype html><body>hostile',
    };
    if (!installed) throw new Error('no browser');
    app = await openAppBrowser(installed, { hostScript: hostScript ?? '', html: uri => html[uri] ?? '' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    await app.run(`await globalThis.view?.close(); events.length = 0; globalThis.view = undefined`);
  });

  const show = (tool: string, more = '{}') =>
    app.run(`globalThis.view = await show('${tool}', '${app.sandboxOrigin}/app', ${more})`);
  /** Shows the page of the library, and waits until it is initialized. */
  const showPage = async (more?: string) => {
    await show('chart', more);
    await app.run('await view.ready');
  };
  const listEvents = async (name?: string) => {
    const events = (await app.run('return events')) as [string, unknown][];
    return events.filter(([each]) => (name === undefined ? each !== 'traced' : each === name));
  };
  const waitForEvent = (name: string) => waitInPage(app.page, `events.some(([each]) => each === '${name}')`);
  /** Runs code in the page of the app. */
  const runInApp = async (code: string) => (await app.appFrame()).evaluate(`(async () => { ${code} })()`);
  /** Shows the page that speaks for itself, and sends messages as it likes. */
  const showHostile = async (more?: string) => {
    await show('hostile', more);
    await waitInPage(app.page, `document.querySelector('iframe') !== null`);
    await expect.poll(() => app.page.frames().some(each => each.url() === 'about:srcdoc')).toBe(true);
    await runInApp(`
      globalThis.received = [];
      addEventListener('message', ({ data }) => received.push(data));
      globalThis.send = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
      globalThis.request = (id, method, params) => new Promise(resolve => {
        addEventListener('message', function listen({ data }) {
          if (data.id !== id || data.method) return;
          removeEventListener('message', listen);
          resolve(data);
        });
        send({ id, method, params });
      });
    `);
  };
  const initializeHostile = () =>
    runInApp(`
      await request(1, 'ui/initialize', { appInfo: { name: 'a', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' });
      send({ method: 'ui/notifications/initialized' });
      await request(2, 'ping');
    `);

  it('gets partial input, input and result in this order, and the context before them [ext-apps.tool-input, ext-apps.tool-input-partial, ext-apps.tool-input-partial-stops, ext-apps.tool-result, ext-apps.host-waits-initialized, ext-apps.tool-result-for-late-view]', async () => {
    await show('chart');
    await app.run(`
      view.sendPartialToolInput({ a: 1 });
      view.sendToolInput({ a: 1, b: 2 });
      view.sendPartialToolInput({ a: 3 });
      view.sendToolInput({ a: 4 });
      view.sendToolResult(await client.callTool('chart'));
      await view.ready;
    `);
    await expect
      .poll(async () => JSON.parse(String(await runInApp('return document.body.textContent'))))
      .toEqual([
        ['context', 'dark', 'inline'],
        ['partial', { a: 1 }],
        ['input', { a: 1, b: 2 }],
        ['result', { values: [1, 2, 3] }],
      ]);
  });

  it('calls a tool of its server, reads a resource, and uses the features of the host [ext-apps.view-standard-messages, ext-apps.transport-postmessage, ext-apps.host-renders, ext-apps.resource-fetched-by-read, ext-apps.core-proxying-2026]', async () => {
    await showPage();
    expect(await app.run('return client.server.protocolVersion')).toBe('2026-07-28');
    expect(
      await runInApp(`
        const doubled = await host.tools.double({ value: 21 });
        const { contents } = await host.readResource('note://one');
        await host.openLink('https://example.com/a');
        await host.sendMessage('hello');
        await host.updateModelContext({ structuredContent: { selected: 3 } });
        host.log('info', 'shown');
        const mode = await host.requestDisplayMode('fullscreen');
        const refused = await host.requestDisplayMode('pip');
        host.requestTeardown();
        return [doubled, contents[0].text, mode, refused, host.host.name, document.documentElement.style.colorScheme];
      `),
    ).toEqual([{ doubled: 42 }, 'note one', 'fullscreen', 'fullscreen', 'test-host', 'dark']);
    await waitForEvent('teardown-request');
    expect((await listEvents()).filter(([name]) => name !== 'size')).toEqual([
      ['link', 'https://example.com/a'],
      ['message', [{ type: 'text', text: 'hello' }]],
      ['model-context', { structuredContent: { selected: 3 } }],
      ['log', ['info', 'shown']],
      ['teardown-request', undefined],
    ]);
  });

  it('cannot call a tool without the visibility `app`, nor one that does not exist [ext-apps.visibility-app-rejected, ext-apps.visibility-default]', async () => {
    await showPage();
    const call = (name: string) =>
      runInApp(`return host.callTool('${name}').catch(error => [error.code, error.message])`);
    expect(await call('secret')).toEqual([-32602, 'Unknown tool: secret. Expected a tool that is visible to apps']);
    expect(await call('absent')).toEqual([-32602, 'Unknown tool: absent. Expected a tool that is visible to apps']);
    expect(await call('chart')).toMatchObject({ structuredContent: { values: [1, 2, 3] } });
  });

  it('has an opaque origin inside of a sandbox of another origin [ext-apps.sandboxed-iframe, ext-apps.sandbox-proxy-required, ext-apps.sandbox-permissions, ext-apps.host-different-origin]', async () => {
    await showPage();
    const read = (what: string) => runInApp(`try { return String(${what}) } catch (error) { return error.name }`);
    expect(await read('self.origin')).toBe('null');
    expect(await read('top.document')).toBe('SecurityError');
    expect(await read('parent.document')).toBe('SecurityError');
    expect(await read('localStorage')).toBe('SecurityError');
    expect(
      await app.run(`try { return document.querySelector('iframe').contentDocument } catch { return 'refused' }`),
    ).toBeNull();
    // No frame of a document that is given as text may have the origin of its parent.
    for (const frame of app.page.frames()) {
      const found = await frame.evaluate(
        `[...document.querySelectorAll('iframe')].map(each => [each.hasAttribute('srcdoc'), each.getAttribute('sandbox')])`,
      );
      for (const [hasText, sandbox] of found as [boolean, string | null][]) {
        expect(sandbox).toContain('allow-scripts');
        expect(sandbox?.includes('allow-same-origin')).toBe(!hasText);
      }
    }
  });

  it('is not shown if the sandbox has the origin of the host [ext-apps.host-different-origin]', async () => {
    const error = await app.run(`return show('chart', location.origin + '/app').catch(error => error.message)`);
    expect(error).toBe(
      `sandboxUrl: expected another origin than ${app.hostOrigin}. Serve the sandbox from another host name or port`,
    );
    expect(await app.run(`return document.querySelectorAll('iframe').length`)).toBe(0);
  });

  it('reaches no origin that its server has not declared, by requests, forms, frames or windows [ext-apps.csp-constructed, ext-apps.csp-default, ext-apps.csp-undeclared-blocked, ext-apps.csp-no-loosening, ext-apps.sandbox-csp]', async () => {
    await showHostile();
    const { origin, requests } = app.other;
    expect(
      await runInApp(`
        const load = (name, url) => new Promise(resolve => {
          const element = document.createElement(name);
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('blocked');
          element.src = url;
          document.body.append(element);
        });
        return Promise.all([
          fetch('${origin}/fetch').then(() => 'loaded', () => 'blocked'),
          load('img', '${origin}/image'),
          load('script', '${origin}/script'),
        ]);
      `),
    ).toEqual(['blocked', 'blocked', 'blocked']);
    await runInApp(`
      const form = document.createElement('form');
      form.action = '${origin}/form';
      document.body.append(form);
      form.submit();
      const frame = document.createElement('iframe');
      frame.src = '${origin}/frame';
      document.body.append(frame);
      try { top.location = '${origin}/top' } catch {}
      try { open('${origin}/open') } catch {}
    `);
    await app.run(`await fetch('${origin}/last')`);
    expect(requests).toEqual(['/last']);
    expect(app.page.url()).toBe(`${app.hostOrigin}/`);
  });

  it('cannot carry data away by navigating itself [ext-apps.csp-undeclared-blocked]', async () => {
    await showHostile();
    const { origin, requests } = app.other;
    const before = requests.length;
    const frame = await app.appFrame();
    const navigated = app.page.waitForEvent('framenavigated', each => each === frame);
    await runInApp(`setTimeout(() => { location.href = '${origin}/navigation?data' })`);
    // The policy of the sandbox holds for the frames inside of it, also for navigation that they begin themselves.
    expect((await navigated).url()).toBe('chrome-error://chromewebdata/');
    await app.run(`await fetch('${origin}/last')`);
    expect(requests.slice(before)).toEqual(['/last']);
  });

  it('is refused all but ui/initialize until it is initialized [ext-apps.host-no-view-before-init, ext-apps.initialize-result-shape, ext-apps.host-capabilities-shape, ext-apps.host-context-shape, ext-apps.host-version-negotiated]', async () => {
    await showHostile();
    await app.run('view.sendToolInput({ a: 1 })');
    expect(
      await runInApp(`return request(7, 'tools/call', { name: 'double', arguments: { value: 1 } })`),
    ).toMatchObject({
      error: { code: -32000, message: 'tools/call: the page is not initialized' },
    });
    expect(await runInApp(`return request(8, 'ui/initialize', { appInfo: 1 })`)).toMatchObject({
      error: { code: -32602 },
    });
    const first = await runInApp(
      `return request(9, 'ui/initialize', { appInfo: { name: 'a', version: '1' }, appCapabilities: {}, protocolVersion: '2099-01-01' })`,
    );
    expect(first).toMatchObject({
      result: {
        protocolVersion: '2026-01-26',
        hostInfo: { name: 'test-host', version: '1.0.0' },
        hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, sandbox: {} },
        hostContext: { theme: 'dark', displayMode: 'inline', toolInfo: { tool: { name: 'hostile' } } },
      },
    });
    expect(await runInApp(`return received.filter(({ method }) => method).length`)).toBe(0);
    await runInApp(`send({ method: 'ui/notifications/initialized' }); await request(10, 'ping')`);
    expect(await runInApp(`return received.filter(({ method }) => method)`)).toMatchObject([
      { method: 'ui/notifications/tool-input', params: { arguments: { a: 1 } } },
    ]);
  });

  it('cannot send as the host, as the sandbox, or past the sandbox [ext-apps.host-source-check, ext-apps.sandbox-forwards]', async () => {
    await showHostile();
    await runInApp(`
      send({ method: 'ui/notifications/sandbox-proxy-ready' });
      send({ method: 'ui/notifications/sandbox-resource-ready', params: { html: '<p>other' } });
      top.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { appInfo: { name: 'a', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' } }, '*');
      await request(2, 'ui/initialize', {});
    `);
    expect(await runInApp('return received')).toMatchObject([{ id: 2, error: { code: -32602 } }]);
    // Another window with the origin of the sandbox is not its frame.
    await app.run(`
      const other = document.createElement('iframe');
      other.src = '${app.sandboxOrigin}/app';
      await new Promise(resolve => { other.onload = resolve; document.body.append(other); });
      other.remove();
    `);
    expect(app.page.frames().filter(each => each.url() === 'about:srcdoc')).toHaveLength(1);
  });

  it('gets errors for messages that are too large, malformed or unknown, and all are reported [ext-apps.messages-validated, ext-apps.csp-logged]', async () => {
    await showHostile(
      '{ limits: { maxMessageLength: 1_000 }, onProblem: problem => events.push(["problem", problem]) }',
    );
    await initializeHostile();
    expect(
      await runInApp(`
        const large = 'x'.repeat(2_000);
        const responses = [
          await request(11, 'ui/message', { role: 'user', content: [{ type: 'text', text: large }] }),
          await request(12, 'ui/unknown', {}),
          await request(13, 'resources/list', {}),
          await request(14, 'ui/open-link', { url: 'javascript:alert(1)' }),
          await request(15, 'ui/message', { role: 'assistant', content: [] }),
          await request(16, 'ui/request-display-mode', { mode: 'window' }),
          await request(17, 'tools/call', { name: 'double', arguments: [] }),
        ];
        send({ method: 'ui/notifications/unknown' });
        parent.postMessage('text', '*');
        parent.postMessage({ jsonrpc: '2.0', id: {}, method: 'ping' }, '*');
        parent.postMessage({ jsonrpc: '2.0', id: 18, method: 'ping', params: 3 }, '*');
        await request(19, 'ping');
        return responses.map(({ error }) => error.code);
      `),
    ).toEqual([-32600, -32601, -32601, -32000, -32602, -32602, -32602]);
    expect(await listEvents('problem')).toEqual([
      ['problem', 'a message of the page is too-large'],
      ['problem', 'ui/notifications/unknown: unknown notification'],
      ['problem', 'a message of the page is not-json-rpc'],
      ['problem', 'a message of the page is not-json-rpc'],
    ]);
    expect(await listEvents('message')).toEqual([]);
  });

  it('is removed when it sends too many messages [ext-apps.view-resource-limits]', async () => {
    await showHostile('{ limits: { maxMessageRate: 20 }, clock: { now: () => 0, setTimer: () => () => {} } }');
    await runInApp(`for (let i = 0; i < 40; i++) send({ method: 'ui/notifications/size-changed', params: {} })`);
    await waitForEvent('close');
    expect(await listEvents('close')).toEqual([['close', 'The page has sent too many messages']]);
    expect(app.page.frames()).toHaveLength(1);
  });

  it('is told before it is removed, and reaches nothing after that [ext-apps.resource-teardown, ext-apps.resource-teardown-waits, ext-apps.teardown-accepted-flow, ext-apps.app-tools-closed-error, ext-apps.app-tools-lifecycle, ext-apps.app-tools-not-persisted]', async () => {
    await showPage('{ teardownTimeout: 30_000 }');
    expect(await app.run(`return view.callTool('shown')`)).toMatchObject({ content: [{ type: 'text' }] });
    await app.run(`
      const frame = document.querySelector('iframe').contentWindow;
      await view.close('done');
      // The window of a removed frame sends nothing any more, and its messages have no source.
      window.postMessage({ jsonrpc: '2.0', id: 99, method: 'tools/call', params: { name: 'double' } }, '*');
      globalThis.afterwards = await view.callTool('shown').catch(error => error.message);
    `);
    expect(await app.run('return [afterwards, document.querySelectorAll("iframe").length]')).toEqual([
      'The page is not shown',
      0,
    ]);
    expect(await listEvents('close')).toEqual([['close', 'done']]);
  });

  it('offers its tools to the host, in a list that can change [ext-apps.app-tools, ext-apps.app-tools-call-handler, ext-apps.app-tools-list-handler, ext-apps.app-tools-list-changed, ext-apps.app-tools-clear-lifecycle, ext-apps.app-tools-execution-error]', async () => {
    await showPage(`{ onToolsChange: () => events.push(['tools', undefined]) }`);
    expect(await app.run('return view.listTools()')).toMatchObject([
      { name: 'shown', inputSchema: { type: 'object' } },
    ]);
    await runInApp(`host.setTools({ fail: { run: () => { throw new Error('not now') } } })`);
    await waitForEvent('tools');
    expect(await app.run(`return view.callTool('fail')`)).toEqual({
      content: [{ type: 'text', text: 'not now' }],
      isError: true,
    });
    expect(await app.run(`return view.callTool('shown').catch(error => error.code)`)).toBe(-32602);
  });

  it('keeps the calls of a page at the connection that returned it [ext-apps.visibility-same-server]', async () => {
    await show(
      'chart',
      `{ allowRequest: ({ kind, tool, uri }) => { events.push(['asked', tool?.name ?? uri]); return kind === 'tool'; } }`,
    );
    await app.run('await view.ready');
    expect(await runInApp(`return host.readResource('note://one').catch(error => error.message)`)).toBe(
      'The host has refused the request',
    );
    expect(await runInApp('return host.tools.double({ value: 2 })')).toEqual({ doubled: 4 });
    expect(await listEvents('asked')).toEqual([
      ['asked', 'note://one'],
      ['asked', 'double'],
    ]);
  });

  it('refuses a request for which the host returns another value than true', async () => {
    await show('chart', `{ allowRequest: () => 'deny' }`);
    await app.run('await view.ready');
    expect(await runInApp('return host.tools.double({ value: 2 }).catch(error => error.message)')).toBe(
      'The host has refused the request',
    );
  });
});
