import { afterEach, describe, expect, it } from 'vitest';
import { connectToHost } from './connect-to-host.js';
import type { PageOptions } from './page-options.js';
import type { WindowMessage } from './page-window.js';

type Sent = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown };
const settle = () => new Promise<void>(resolve => setImmediate(resolve));

/** Window of a page, whose host is played by the test. */
function openWindow(answers: { readonly [method: string]: object } = {}) {
  const sent: Sent[] = [];
  const listeners = new Set<(event: WindowMessage) => void>();
  const styles: Record<string, string> = {};
  const fonts: unknown[] = [];
  const parent = {
    postMessage(message: Sent) {
      sent.push(message);
      const answer = message.method === undefined ? undefined : answers[message.method];
      if (answer && message.id !== undefined) say({ id: message.id, ...answer });
    },
  };
  const say = (message: object, source: unknown = parent) => {
    for (const listener of [...listeners])
      listener({ data: { jsonrpc: '2.0', ...message }, origin: 'https://h', source });
  };
  const style = {
    colorScheme: '',
    height: '',
    setProperty: (name: string, value: string) => void Object.assign(styles, { [name]: value }),
  };
  const root = {
    scrollWidth: 300,
    style,
    setAttribute() {},
    getBoundingClientRect: () => ({ width: 300, height: 119.5 }),
  };
  class ResizeObserver {
    observe() {}
    disconnect() {}
  }
  Reflect.set(globalThis, 'window', {
    parent,
    document: {
      documentElement: root,
      head: { append: (element: unknown) => fonts.push(element) },
      createElement: () => ({ textContent: '' }),
    },
    addEventListener: (_: string, listener: (event: WindowMessage) => void) => listeners.add(listener),
    removeEventListener: (_: string, listener: (event: WindowMessage) => void) => listeners.delete(listener),
    ResizeObserver,
  });
  return { sent, say, styles, style, fonts, listeners };
}

afterEach(() => Reflect.deleteProperty(globalThis, 'window'));

const initialized = (more: object = {}) => ({
  'ui/initialize': {
    result: { protocolVersion: '2026-01-26', hostInfo: { name: 'h', version: '1' }, hostCapabilities: {}, ...more },
  },
});
const open = (options: Partial<PageOptions> = {}) => connectToHost({ name: 'p', version: '2', ...options });

describe('connectToHost', () => {
  it('declares the page and its display modes, and says when it is initialized [ext-apps.initialize-request-shape, ext-apps.initialize-app-capabilities, ext-apps.initialized-notification, ext-apps.display-modes-declared, ext-apps.app-capabilities-shape, ext-apps.size-changed]', async () => {
    const { sent } = openWindow(initialized());
    await open();
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'ui/initialize',
        params: {
          appInfo: { name: 'p', version: '2' },
          appCapabilities: { availableDisplayModes: ['inline'] },
          protocolVersion: '2026-01-26',
        },
      },
      { jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} },
      { jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { width: 300, height: 120 } },
    ]);
  });

  it('listens to its parent only', async () => {
    const seen: unknown[] = [];
    const { say } = openWindow(initialized());
    await open({ onToolInput: input => seen.push(input) });
    const input = { method: 'ui/notifications/tool-input', params: { arguments: { a: 1 } } };
    say(input, {});
    say(input, null);
    say({ ...input, params: { arguments: { b: 2 } } });
    expect(seen).toEqual([{ b: 2 }]);
  });

  it('merges changes of the context, and applies the theme [ext-apps.context-changed-merge]', async () => {
    const contexts: unknown[] = [];
    const variables = { '--color-text-primary': 'black', color: 'red' };
    const css = { fonts: '@font-face {}' };
    const { say, styles, style, fonts } = openWindow(
      initialized({ hostContext: { theme: 'dark', locale: 'de', styles: { variables, css } } }),
    );
    const host = await open({ onContext: context => contexts.push(context) });
    say({ method: 'ui/notifications/host-context-changed', params: { theme: 'light', styles: { css } } });
    expect(host.context).toMatchObject({ theme: 'light', locale: 'de' });
    expect(contexts).toHaveLength(2);
    expect([style.colorScheme, styles, fonts.length]).toEqual(['light', { '--color-text-primary': 'black' }, 1]);
  });

  it('asks a host for nothing that it does not offer [ext-apps.server-tools-capability-gates, ext-apps.sampling-not-assumed, ext-apps.app-sampling, ext-apps.display-mode-checked]', async () => {
    const { sent } = openWindow(
      initialized({ hostContext: { displayMode: 'inline', availableDisplayModes: ['inline', 'pip'] } }),
    );
    const host = await open({ displayModes: ['inline', 'fullscreen'], reportsSize: false });
    await expect(host.callTool('a')).rejects.toThrow('The host does not offer serverTools');
    await expect(host.readResource('a://b')).rejects.toThrow('serverResources');
    await expect(host.openLink('https://a')).rejects.toThrow('openLinks');
    await expect(host.downloadFile([])).rejects.toThrow('downloadFile');
    await expect(host.createMessage({})).rejects.toThrow('sampling');
    expect(await host.requestDisplayMode('fullscreen')).toBe('inline');
    expect(await host.requestDisplayMode('pip')).toBe('inline');
    host.log('info', 'x');
    expect(sent.map(({ method }) => method)).toEqual(['ui/initialize', 'ui/notifications/initialized']);
    openWindow(initialized({ hostCapabilities: { sampling: {} } }));
    const other = await open();
    await expect(other.createMessage({ tools: [] })).rejects.toThrow('sampling with tools');
  });

  it('returns structured content, and throws the text of a result with isError', async () => {
    const hostCapabilities = { serverTools: {} };
    const result = { content: [], structuredContent: { a: 1 } };
    openWindow({ ...initialized({ hostCapabilities }), 'tools/call': { result } });
    const tools = (
      await connectToHost<{ types?: { tools: { show: { types?: { input: undefined; output: object } } } } }>({
        name: 'p',
        version: '1',
      })
    ).tools;
    expect(await tools.show()).toEqual({ a: 1 });
    const failed = { content: [{ type: 'text', text: 'no data' }], isError: true };
    openWindow({ ...initialized({ hostCapabilities }), 'tools/call': { result: failed } });
    const host = await open();
    expect(await host.callTool('show')).toEqual(failed);
    await expect(Reflect.get(host.tools, 'show')()).rejects.toMatchObject({
      message: 'no data',
      code: -32000,
      data: failed,
    });
  });

  it('cancels a call by its signal', async () => {
    const { sent } = openWindow(initialized({ hostCapabilities: { serverTools: {} } }));
    const host = await open({ reportsSize: false });
    const controller = new AbortController();
    const call = host.callTool('slow', {}, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toThrow('tools/call: cancelled');
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 2 } });
  });

  it('answers a host that removes it after onTeardown, and refuses unknown requests', async () => {
    const order: unknown[] = [];
    const { say, sent } = openWindow(initialized());
    await open({ reportsSize: false, onTeardown: async reason => void order.push(reason) });
    say({ id: 'a', method: 'ui/resource-teardown', params: { reason: 'done' } });
    say({ id: 'b', method: 'tools/list' });
    say({ id: 'c', method: 'ping' });
    await settle();
    expect(order).toEqual(['done']);
    expect(sent.filter(({ method }) => method === undefined)).toMatchObject(
      [
        { id: 'b', error: { code: -32601 } },
        { id: 'c', result: {} },
        { id: 'a', result: {} },
      ].sort(
        (one, other) =>
          sent.findIndex(({ id }) => String(id) === one.id) - sent.findIndex(({ id }) => String(id) === other.id),
      ),
    );
  });

  it('fails for a host that refuses it or has another version, and stops listening', async () => {
    const refused = openWindow({ 'ui/initialize': { error: { code: -32000, message: 'no' } } });
    await expect(open()).rejects.toMatchObject({ name: 'AppError', code: -32000, message: 'no' });
    expect(refused.listeners.size).toBe(0);
    openWindow(initialized({ protocolVersion: '1999-01-01' }));
    await expect(open()).rejects.toThrow('The host has protocol version 1999-01-01. Expected 2026-01-26');
  });

  it('rejects all open calls when it is closed, and unknown options', async () => {
    const { listeners } = openWindow(initialized({ hostCapabilities: { serverTools: {} } }));
    const host = await open();
    const call = host.callTool('slow');
    host.close();
    await expect(call).rejects.toThrow('The page has closed the connection');
    expect(listeners.size).toBe(0);
    await expect(open({ onInput: () => {} } as object)).rejects.toThrow('connectToHost: unknown option "onInput"');
    await expect(open({ maxMessageLength: Number.NaN })).rejects.toThrow(
      '`maxMessageLength` of connectToHost: invalid',
    );
  });
});
