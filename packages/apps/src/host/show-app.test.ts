import { describe, expect, it } from 'vitest';
import { AppError } from '../channel/app-error.js';
import { appTool, createFakeDocument, createFakeServer, createViewClock, HTML, SANDBOX } from './fixtures/fake-host.js';
import { showApp } from './show-app.js';
import type { ViewOptions } from './view-options.js';

const INITIALIZE = {
  id: 'init',
  method: 'ui/initialize',
  params: { appInfo: { name: 'a', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' },
};
/** Lets promises of the library settle. */
const settle = () => new Promise<void>(resolve => setImmediate(resolve));

async function show(options: Partial<ViewOptions> = {}, item?: object, capabilities: object = {}) {
  const host = createFakeDocument();
  const time = createViewClock();
  const origin = createFakeServer(item);
  const closed: string[] = [];
  const view = await showApp(origin.server, {
    container: host.container,
    sandboxUrl: `${SANDBOX}/app`,
    tool: appTool,
    host: { name: 'h', version: '1' },
    clock: time.clock,
    onClose: reason => closed.push(reason),
    ...options,
  });
  const initialize = async () => {
    host.say({ method: 'ui/notifications/sandbox-proxy-ready' });
    host.say({ ...INITIALIZE, params: { ...INITIALIZE.params, appCapabilities: capabilities } });
    await settle();
    host.say({ method: 'ui/notifications/initialized' });
  };
  const respondTo = async (method: string, result: object) => {
    await settle();
    const request = host.sent.findLast(({ message }) => message.method === method)?.message;
    host.say({ id: request?.id, result });
  };
  const ask = async (id: number, method: string, params: object = {}) => {
    host.say({ id, method, params });
    await settle();
    return host.sent.find(({ message }) => message.id === id && message.method === undefined)?.message;
  };
  return { ...host, ...time, ...origin, view, closed, initialize, respondTo, ask };
}

describe('showApp', () => {
  it('loads the page when the sandbox is ready, once, and sends it to the origin of the sandbox [ext-apps.sandbox-ready, ext-apps.sandbox-resource-ready]', async () => {
    const csp = { connectDomains: ['https://api.example', '*'] };
    const { say, sent, frame, attributes } = await show({}, { _meta: { ui: { csp } } });
    expect(sent).toEqual([]);
    say({ method: 'ui/notifications/sandbox-proxy-ready' });
    say({ method: 'ui/notifications/sandbox-proxy-ready' });
    expect(sent).toEqual([
      {
        message: {
          jsonrpc: '2.0',
          method: 'ui/notifications/sandbox-resource-ready',
          params: { html: HTML, csp: { connectDomains: ['https://api.example'] }, permissions: {} },
        },
        targetOrigin: SANDBOX,
      },
    ]);
    expect(JSON.parse(new URL(frame.src).searchParams.get('csp') ?? '')).toEqual({
      connectDomains: ['https://api.example'],
    });
    expect(attributes.sandbox).toBe('allow-scripts allow-same-origin allow-forms');
  });

  it('receives messages of its frame with the origin of the sandbox only [ext-apps.host-source-check]', async () => {
    const { receive, frame, sent, view, closed } = await show();
    const data = { jsonrpc: '2.0', ...INITIALIZE };
    receive({ data, origin: SANDBOX, source: {} });
    receive({ data, origin: SANDBOX, source: null });
    receive({ data, origin: 'https://other.example', source: frame.contentWindow });
    receive({ data, origin: 'null', source: frame.contentWindow });
    await settle();
    expect(sent).toEqual([]);
    await view.close();
    expect(closed).toEqual(['The host removes the page']);
  });

  it.each([
    'https://host.example/app',
    '/app',
    'about:blank',
    'data:text/html,',
    'javascript:alert(1)',
    'blob:https://a/b',
  ])('rejects the sandbox %s [ext-apps.host-different-origin]', async sandboxUrl => {
    await expect(show({ sandboxUrl })).rejects.toThrow(/^sandboxUrl: expected/);
  });

  it('grants permissions that the page requests and the host allows [ext-apps.host-permission-policy, ext-apps.permissions-honoured]', async () => {
    const item = { _meta: { ui: { permissions: { camera: {}, clipboardWrite: {}, usb: {} } } } };
    expect((await show({}, item)).attributes.allow).toBe('');
    const grantPermissions = () => ({ clipboardWrite: {}, microphone: {} });
    const { attributes, say, sent } = await show({ grantPermissions }, item);
    expect(attributes.allow).toBe('clipboard-write *');
    say({ method: 'ui/notifications/sandbox-proxy-ready' });
    expect(sent[0]?.message.params).toMatchObject({ permissions: { clipboardWrite: {} } });
    expect(attributes.sandbox).not.toContain('allow-downloads');
  });

  it('sends nothing before the page is initialized, then input before result [ext-apps.host-waits-initialized, ext-apps.tool-result]', async () => {
    const { view, listSent, initialize } = await show();
    view.sendPartialToolInput({ a: 1 });
    view.sendToolResult({ content: [] });
    view.sendToolInput({ late: true });
    view.sendToolCancelled();
    view.changeContext({ theme: 'dark' });
    await initialize();
    await view.ready;
    expect(listSent()).toEqual([
      'ui/notifications/sandbox-resource-ready',
      'init',
      'ui/notifications/tool-input-partial',
      'ui/notifications/tool-input',
      'ui/notifications/tool-result',
    ]);
  });

  it('tells the page that the call was cancelled [ext-apps.tool-cancelled, ext-apps.tool-cancelled-any-cause]', async () => {
    const { view, sent, initialize } = await show();
    await initialize();
    view.sendToolCancelled('The policy does not allow it');
    view.sendToolResult({ content: [] });
    expect(sent.at(-1)?.message).toMatchObject({
      method: 'ui/notifications/tool-cancelled',
      params: { reason: 'The policy does not allow it' },
    });
  });

  it('aborts the calls of the page when it is removed, and sends it nothing after that', async () => {
    const { view, say, sent, signals, calls, respond, initialize, respondTo, listeners, isShown } = await show();
    await initialize();
    say({ id: 1, method: 'tools/call', params: { name: 'refresh' } });
    await settle();
    expect(calls).toEqual(['refresh']);
    const closing = view.close('done');
    await respondTo('ui/resource-teardown', {});
    await closing;
    const count = sent.length;
    expect([signals[0]?.aborted, listeners.size, isShown()]).toEqual([true, 0, false]);
    respond({ content: [] });
    view.sendToolInput({});
    view.changeContext({ theme: 'dark' });
    await settle();
    expect(sent).toHaveLength(count);
  });

  it('removes a page that does not answer the teardown in time, or does not initialize', async () => {
    const silent = await show({ teardownTimeout: 500 });
    await silent.initialize();
    const closing = silent.view.close();
    await settle();
    silent.advance(500);
    await closing;
    expect(silent.isShown()).toBe(false);
    const stuck = await show({ timeout: 2_000 });
    stuck.advance(2_000);
    await expect(stuck.view.ready).rejects.toThrow('The page did not initialize in time');
    expect([stuck.isShown(), stuck.timers.size]).toEqual([false, 0]);
  });

  it('changes to display modes only that both sides declare, and returns the mode in effect [ext-apps.display-mode-result, ext-apps.display-mode-not-undeclared, ext-apps.display-mode-unavailable-current, ext-apps.app-capabilities-shape]', async () => {
    const changed: string[] = [];
    const { ask, initialize, view } = await show(
      {
        context: { displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen', 'pip'] },
        changeDisplayMode: mode => {
          changed.push(mode);
          return mode;
        },
      },
      {},
      { availableDisplayModes: ['inline', 'fullscreen'] },
    );
    await initialize();
    expect(await ask(1, 'ui/request-display-mode', { mode: 'pip' })).toMatchObject({ result: { mode: 'inline' } });
    expect(await ask(2, 'ui/request-display-mode', { mode: 'fullscreen' })).toMatchObject({
      result: { mode: 'fullscreen' },
    });
    expect(changed).toEqual(['fullscreen']);
    expect(() => view.changeContext({ displayMode: 'pip' })).toThrow('The app does not support the display mode pip');
  });

  it('follows the size of the page up to the maximum, unless the height is fixed [ext-apps.size-changed-followed, ext-apps.container-dimensions]', async () => {
    const measure = async (containerDimensions: object, height: unknown) => {
      const { say, frame, initialize } = await show({ context: { containerDimensions } });
      await initialize();
      say({ method: 'ui/notifications/size-changed', params: { width: 10, height } });
      return frame.style.height;
    };
    expect(await measure({}, 200)).toBe('200px');
    expect(await measure({ maxHeight: 100 }, 200)).toBe('100px');
    expect(await measure({ height: 50 }, 200)).toBe('50px');
    expect(await measure({}, '1px; position: fixed')).toBe('');
    expect(await measure({}, -1)).toBe('');
  });

  it('offers only features that the host has, and refuses the others', async () => {
    const { ask, initialize, sent } = await show();
    await initialize();
    expect(sent.find(({ message }) => message.id === 'init')?.message.result).toMatchObject({
      hostCapabilities: { serverTools: {}, serverResources: {}, sandbox: { permissions: {}, csp: {} } },
    });
    for (const method of ['ui/open-link', 'ui/message', 'ui/download-file', 'sampling/createMessage', 'prompts/list'])
      expect(await ask(method.length, method), method).toMatchObject({ error: { code: -32601 } });
  });

  it('tells the page of an error of the host only if it is an AppError [ext-apps.error-code-legacy-range]', async () => {
    const { ask, initialize } = await show({
      sendMessage: () => {
        throw new AppError(-32000, 'Declined by the user');
      },
      openLink: () => {
        throw new Error('the path /home/ada is private');
      },
    });
    await initialize();
    const content = { type: 'text', text: 'hello' };
    expect(await ask(1, 'ui/message', { role: 'user', content })).toMatchObject({
      error: { code: -32000, message: 'Declined by the user' },
    });
    expect(await ask(2, 'ui/open-link', { url: 'https://a.example' })).toMatchObject({
      error: { code: -32000, message: 'The host has refused the request' },
    });
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'https://ada:secret@a.example', 'a', 3])
      expect(await ask(3, 'ui/open-link', { url }), String(url)).toMatchObject({ error: { code: -32000 } });
  });

  it('calls no tools of a page that has declared none, and limits their number [ext-apps.app-tools-capability-gates, ext-apps.app-tools-limits]', async () => {
    const without = await show();
    await without.initialize();
    expect(await without.view.listTools()).toEqual([]);
    await expect(without.view.callTool('a')).rejects.toThrow('The page has declared no tools');
    const { view, initialize, respondTo, advance } = await show({ limits: { maxTools: 2 } }, {}, { tools: {} });
    await expect(view.callTool('a')).rejects.toThrow('The page is not shown');
    await initialize();
    const tools = ['a', 'b', 'c'].map(name => ({ name, inputSchema: { type: 'object' } }));
    const listing = view.listTools();
    await respondTo('tools/list', { tools: [{ name: 3 }, ...tools] });
    expect((await listing).map(({ name }) => name)).toEqual(['a', 'b']);
    const calling = view.callTool('a');
    await settle();
    advance(30_000);
    await expect(calling).rejects.toThrow('tools/call: cancelled');
  });

  it('limits the open requests of a page', async () => {
    const { ask, initialize, calls } = await show({ limits: { maxRequests: 2 } });
    await initialize();
    for (const id of [1, 2]) await ask(id, 'tools/call', { name: 'refresh' });
    expect(await ask(3, 'ping')).toMatchObject({ error: { message: 'Too many open requests' } });
    expect(await ask(1, 'ping')).toMatchObject({ error: { message: 'The request id 1 is in use' } });
    expect(calls).toHaveLength(2);
  });

  it('rejects a tool without a page, and unknown options', async () => {
    await expect(show({ tool: { ...appTool, _meta: {} } })).rejects.toThrow('Tool show has no app');
    await expect(show({ tool: { ...appTool, _meta: { ui: { resourceUri: 'https://a' } } } })).rejects.toThrow(
      'has no app',
    );
    await expect(show({ sandbox: 'x' } as object)).rejects.toThrow('showApp: unknown option "sandbox"');
    await expect(show({ limits: { maxTime: 1 } as object })).rejects.toThrow(
      'limits of showApp: unknown option "maxTime"',
    );
  });

  it.each([
    { limits: { maxMessageRate: Number.NaN } },
    { limits: { maxHtmlLength: -1 } },
    { limits: { maxTools: '5' } },
    { timeout: Number.POSITIVE_INFINITY },
    { teardownTimeout: Number.NaN },
  ])('rejects %j, which would limit nothing', async options => {
    await expect(show(options as object)).rejects.toThrow(/of showApp: invalid argument. Expected a number from 0 to/);
  });

  it('calls a tool of the same server behind a gateway, by the name that the page knows', async () => {
    const renamed = (prefix: string, name: string, visibility: readonly string[]) => ({
      name: prefix + name,
      inputSchema: { type: 'object' as const },
      _meta: { ui: { visibility } },
    });
    const { server, calls } = createFakeServer();
    const tools = [
      renamed('b__', 'refresh', ['app']),
      renamed('a__', 'refresh', ['app']),
      renamed('a__', 'secret', ['model']),
      renamed('other', 'Refresh', ['app']),
      renamed('a__', 'show_all', ['app']),
      renamed('a__', 'all', ['app']),
    ];
    const gateway = {
      ...server,
      async *listTools() {
        yield* tools;
      },
    };
    const host = createFakeDocument();
    await showApp(gateway, {
      container: host.container,
      sandboxUrl: `${SANDBOX}/app`,
      tool: { ...appTool, name: 'a__show_all' },
      host: { name: 'h', version: '1' },
      clock: createViewClock().clock,
    });
    host.say({ method: 'ui/notifications/sandbox-proxy-ready' });
    host.say(INITIALIZE);
    await settle();
    host.say({ method: 'ui/notifications/initialized' });
    for (const [id, name] of ['refresh', 'secret', 'Refresh', 'all'].entries())
      host.say({ id: id + 1, method: 'tools/call', params: { name } });
    await settle();
    expect(calls).toEqual(['a__refresh', 'a__all']);
  });
});
