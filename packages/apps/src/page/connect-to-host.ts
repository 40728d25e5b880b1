import { AppError, REFUSED } from '../channel/app-error.js';
import { createChannel, createUnknownMethodError } from '../channel/channel.js';
import { isText, requireAmounts, requireArgument, requireKnownOptions } from '../channel/known-options.js';
import { isObject, type JsonObject, parseMessage } from '../channel/messages.js';
import {
  type CallToolResult,
  DISPLAY_MODES,
  type DisplayMode,
  type HostCapabilities,
  type HostContext,
  type Implementation,
  LATEST_UI_VERSION,
  UI_VERSIONS,
} from '../channel/ui-types.js';
import { createThemeApplier } from './host-theme.js';
import type { PageHandle, ServerTools } from './page-handle.js';
import type { PageOptions } from './page-options.js';
import { callPageTool, listPageTools } from './page-tools.js';
import type { PageWindow, WindowMessage } from './page-window.js';

declare const window: PageWindow;

const MAX_MESSAGE_LENGTH = 16_777_216;
const MAX_REQUESTS = 64;
const OPTIONS: readonly (keyof PageOptions)[] = [
  'name',
  'version',
  'displayModes',
  'reportsSize',
  'appliesTheme',
  'tools',
  'onToolInput',
  'onPartialToolInput',
  'onToolResult',
  'onToolCancelled',
  'onContext',
  'onTeardown',
  'maxMessageLength',
];

/**
 * Connects a page to the host that shows it, and resolves when the host has answered. Handlers of the options are called from
 * then on. `S` is the type of the server: `connectToHost<typeof server>(…)`.
 * @throws AppError if the host refuses the page, or answers with an unknown version.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export async function connectToHost<S = unknown>(options: PageOptions): Promise<PageHandle<S>> {
  requireKnownOptions('connectToHost', options, OPTIONS);
  requireArgument('`name` of connectToHost', options.name, 'a string', isText);
  requireArgument('`version` of connectToHost', options.version, 'a string', isText);
  requireAmounts('connectToHost', options, ['maxMessageLength']);
  const { name, version, displayModes = ['inline'], reportsSize = true, appliesTheme = true } = options;
  let { tools } = options;
  let context: HostContext = {};
  const applyTheme = appliesTheme ? createThemeApplier(window) : () => {};
  const changeContext = (changes: HostContext) => {
    context = { ...context, ...changes };
    applyTheme(changes);
    options.onContext?.(context);
  };

  const channel = createChannel({
    // The page does not know the origin of its host, and sends nothing secret.
    send: message => window.parent.postMessage(message, '*'),
    maxRequests: MAX_REQUESTS,
    async handleRequest(method, params) {
      if (method === 'ping') return {};
      if (method === 'ui/resource-teardown') {
        await options.onTeardown?.(readText(params.reason));
        return {};
      }
      if (tools && method === 'tools/list') return listPageTools(tools);
      if (tools && method === 'tools/call') return callPageTool(tools, params);
      throw createUnknownMethodError(method);
    },
    handleNotification(method, params) {
      const input = isObject(params.arguments) ? params.arguments : {};
      if (method === 'ui/notifications/tool-input') options.onToolInput?.(input);
      else if (method === 'ui/notifications/tool-input-partial') options.onPartialToolInput?.(input);
      else if (method === 'ui/notifications/tool-result') options.onToolResult?.(toToolResult(params));
      else if (method === 'ui/notifications/tool-cancelled') options.onToolCancelled?.(readText(params.reason));
      else if (method === 'ui/notifications/host-context-changed') changeContext(params);
    },
  });
  const receive = ({ source, data }: WindowMessage) => {
    if (source === window.parent) channel.receive(parseMessage(data, options.maxMessageLength ?? MAX_MESSAGE_LENGTH));
  };
  window.addEventListener('message', receive);
  let stopReporting = () => {};
  const close = () => {
    stopReporting();
    window.removeEventListener('message', receive);
    channel.close('The page has closed the connection');
  };

  let capabilities: HostCapabilities;
  let host: Implementation;
  try {
    const result = await channel.request('ui/initialize', {
      appInfo: { name, version },
      appCapabilities: { availableDisplayModes: displayModes, ...(tools ? { tools: { listChanged: true } } : {}) },
      protocolVersion: LATEST_UI_VERSION,
    });
    if (!UI_VERSIONS.some(each => each === result.protocolVersion))
      throw new AppError(
        REFUSED,
        `The host has protocol version ${result.protocolVersion}. Expected ${LATEST_UI_VERSION}`,
      );
    capabilities = isObject(result.hostCapabilities) ? result.hostCapabilities : {};
    host = readImplementation(result.hostInfo);
    changeContext(isObject(result.hostContext) ? result.hostContext : {});
  } catch (error) {
    close();
    throw error;
  }
  channel.notify('ui/notifications/initialized');

  const requireCapability = (capability: keyof HostCapabilities) => {
    if (!capabilities[capability]) throw new AppError(REFUSED, `The host does not offer ${capability}`);
  };
  const callTool: PageHandle['callTool'] = async (tool, input = {}, { signal } = {}) => {
    requireCapability('serverTools');
    return toToolResult(await channel.request('tools/call', { name: tool, arguments: input }, { signal }));
  };
  const reportSize: PageHandle['reportSize'] = ({ width, height }) =>
    channel.notify('ui/notifications/size-changed', { width, height });
  if (reportsSize) stopReporting = startSizeReports(reportSize);

  return {
    host,
    capabilities,
    get context() {
      return context;
    },
    tools: createToolCalls<S>(callTool),
    callTool,
    async readResource(uri, { signal } = {}) {
      requireCapability('serverResources');
      return channel.request('resources/read', { uri }, { signal });
    },
    async openLink(url) {
      requireCapability('openLinks');
      await channel.request('ui/open-link', { url });
    },
    async sendMessage(content) {
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      await channel.request('ui/message', { role: 'user', content: blocks });
    },
    async updateModelContext(modelContext) {
      await channel.request('ui/update-model-context', { ...modelContext });
    },
    async requestDisplayMode(mode) {
      const current = context.displayMode ?? 'inline';
      if (!displayModes.includes(mode) || !context.availableDisplayModes?.includes(mode)) return current;
      const result = await channel.request('ui/request-display-mode', { mode });
      const displayMode = readDisplayMode(result.mode) ?? current;
      changeContext({ displayMode });
      return displayMode;
    },
    async downloadFile(contents) {
      requireCapability('downloadFile');
      await channel.request('ui/download-file', { contents });
    },
    async createMessage(params) {
      requireCapability('sampling');
      if (params.tools !== undefined && !capabilities.sampling?.tools)
        throw new AppError(REFUSED, 'The host does not offer sampling with tools');
      return channel.request('sampling/createMessage', params);
    },
    reportSize,
    log(level, data) {
      if (capabilities.logging) channel.notify('notifications/message', { level, data, logger: name });
    },
    setTools(changed) {
      if (!tools)
        throw new AppError(REFUSED, 'The page has declared no tools. Pass `tools: {}` to connectToHost first');
      tools = changed;
      channel.notify('notifications/tools/list_changed');
    },
    requestTeardown: () => channel.notify('ui/notifications/request-teardown'),
    close,
  };
}

/** Calls of tools by name. `then` and symbols are no tools, because `await` and the console read them of any object. */
function createToolCalls<S>(callTool: PageHandle['callTool']): ServerTools<S> {
  const get = (_: object, name: string | symbol) => {
    if (typeof name === 'symbol' || name === 'then') return undefined;
    return async (input?: JsonObject) => {
      const result = await callTool(name, input);
      if (result.isError) throw new AppError(REFUSED, readErrorText(result) ?? `Tool ${name} failed`, result);
      return result.structuredContent ?? result;
    };
  };
  return new Proxy({}, { get }) as ServerTools<S>;
}

/** Reports the size of the document once, and after each change. Returns a function that stops. */
function startSizeReports(report: PageHandle['reportSize']): () => void {
  const root = window.document.documentElement;
  let last = '';
  const measure = () => {
    // A document that fills its frame reports the height of the frame. `max-content` has that of the content.
    const { height: previous } = root.style;
    root.style.height = 'max-content';
    const height = Math.ceil(root.getBoundingClientRect().height);
    root.style.height = previous;
    const size = { width: Math.ceil(root.scrollWidth), height };
    if (last === JSON.stringify(size)) return;
    last = JSON.stringify(size);
    report(size);
  };
  measure();
  const observer = new window.ResizeObserver(measure);
  observer.observe(root);
  return () => observer.disconnect();
}

function readErrorText({ content }: CallToolResult): string | undefined {
  const texts = content.flatMap(block => (block.type === 'text' ? [block.text] : []));
  return texts.length > 0 ? texts.join('\n') : undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readDisplayMode(value: unknown): DisplayMode | undefined {
  return DISPLAY_MODES.find(mode => mode === value);
}

function readImplementation(value: unknown): Implementation {
  const { name, version } = isObject(value) ? value : {};
  return { name: readText(name) ?? '', version: readText(version) ?? '' };
}

/** Completes a result that the host passed on, so that `content` is a list. */
function toToolResult(result: JsonObject): CallToolResult {
  return { ...result, content: Array.isArray(result.content) ? result.content : [] };
}
