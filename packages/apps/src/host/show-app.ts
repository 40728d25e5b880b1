import { AppError, INVALID_PARAMS, REFUSED } from '../channel/app-error.js';
import { createChannel } from '../channel/channel.js';
import { requireAmounts, requireArgument, requireKnownOptions } from '../channel/known-options.js';
import { isObject, type JsonObject, parseMessage } from '../channel/messages.js';
import { getAppUri } from '../channel/ui-meta.js';
import type { AppCapabilities, AppPermissions, CallToolResult, HostContext, Tool } from '../channel/ui-types.js';
import { createSandboxFrame } from './app-frame.js';
import type { AppServer } from './app-server.js';
import { type AppResource, readApp } from './read-app.js';
import { readInitialize, readSize } from './request-params.js';
import { browserClock } from './view-clock.js';
import type { AppView, ViewOptions } from './view-options.js';
import { handleAppRequest, isDeclaredMode } from './view-requests.js';

const MAX_MESSAGE_LENGTH = 4_194_304;
const MAX_MESSAGE_RATE = 500;
const MAX_REQUESTS = 32;
const MAX_TOOLS = 50;
const TIMEOUT = 30_000;
const TEARDOWN_TIMEOUT = 1_000;
/** Longest time of a timer. A longer one would end at once. */
const MAX_TIMEOUT = 2_147_483_647;
const LIMITS = ['maxMessageLength', 'maxMessageRate', 'maxRequests', 'maxHtmlLength', 'maxTools'];
const OPTIONS: readonly (keyof ViewOptions)[] = [
  'container',
  'sandboxUrl',
  'tool',
  'host',
  'context',
  'grantPermissions',
  'allowRequest',
  'openLink',
  'sendMessage',
  'updateModelContext',
  'changeDisplayMode',
  'downloadFile',
  'createMessage',
  'log',
  'onTeardownRequest',
  'onSizeChange',
  'onToolsChange',
  'onMessage',
  'onProblem',
  'onClose',
  'limits',
  'timeout',
  'teardownTimeout',
  'clock',
];

/**
 * Shows the page of a tool. The page runs in a sandbox of another origin and can only reach the origins that its server has
 * declared. Its calls go to `server`, and only to tools whose visibility contains `app`.
 * @throws AppError if the tool has no page, or the server does not return it.
 * @throws TypeError if `sandboxUrl` has the origin of the host.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export async function showApp(server: AppServer, options: ViewOptions): Promise<AppView> {
  requireArgument('`server` of showApp', server, 'a client', isObject);
  requireKnownOptions('showApp', options, OPTIONS);
  requireArgument('`tool` of showApp', options.tool, 'a tool', isObject);
  if (options.limits) {
    requireKnownOptions('limits of showApp', options.limits, LIMITS);
    requireAmounts('limits of showApp', options.limits, LIMITS);
  }
  requireAmounts('showApp', options, ['timeout', 'teardownTimeout'], MAX_TIMEOUT);
  const uri = getAppUri(options.tool);
  if (uri === undefined)
    throw new AppError(REFUSED, `Tool ${options.tool.name} has no app. Expected _meta.ui.resourceUri with ui://`);
  const { onProblem, limits } = options;
  const resource = await readApp(server, uri, { maxHtmlLength: limits?.maxHtmlLength, onProblem });
  const granted = await options.grantPermissions?.(resource.permissions);
  return createView(server, options, resource, restrictPermissions(resource.permissions, granted));
}

/** Grants no more than the page requests. */
function restrictPermissions(requested: AppPermissions, granted: AppPermissions | undefined): AppPermissions {
  const names = Object.keys(requested) as (keyof AppPermissions)[];
  return Object.fromEntries(names.filter(name => granted?.[name]).map(name => [name, {}]));
}

function createView(
  server: AppServer,
  options: ViewOptions,
  resource: AppResource,
  permissions: AppPermissions,
): AppView {
  const { tool, limits = {}, timeout = TIMEOUT, clock = browserClock, onProblem = () => {}, onMessage } = options;
  let phase: 'loading' | 'initializing' | 'initialized' | 'closing' | 'closed' = 'loading';
  let capabilities: AppCapabilities = {};
  let context: HostContext = { ...options.context, toolInfo: { ...options.context?.toolInfo, tool } };
  let toolState: 'waiting' | 'input-sent' | 'done' = 'waiting';
  /** Notifications for a page that is not initialized yet. */
  let queue: [method: string, params: JsonObject][] = [];
  let settleReady: { resolve(): void; reject(error: AppError): void } | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    settleReady = { resolve, reject };
  });
  // A host may never read `ready`.
  ready.catch(() => {});

  const notify = (method: string, params: JsonObject) => {
    if (phase === 'initialized') channel.notify(method, params);
    else if (phase === 'loading' || phase === 'initializing') queue.push([method, params]);
  };
  const changeContext = (changes: HostContext) => {
    const { displayMode } = changes;
    if (displayMode !== undefined && phase === 'initialized' && !isDeclaredMode(capabilities, displayMode))
      throw new AppError(REFUSED, `The app does not support the display mode ${displayMode}`);
    context = { ...context, ...changes };
    // Before the page is initialized it has not read the context.
    if (phase === 'initialized') channel.notify('ui/notifications/host-context-changed', { ...changes });
    else if (phase === 'initializing') queue.push(['ui/notifications/host-context-changed', { ...changes }]);
  };
  const state = {
    get capabilities() {
      return capabilities;
    },
    get context() {
      return context;
    },
    changeContext,
  };

  const initialize = (params: JsonObject): JsonObject => {
    if (phase !== 'loading') throw new AppError(REFUSED, 'The page has initialized already');
    const declared = readInitialize(params);
    capabilities = declared.capabilities;
    phase = 'initializing';
    return {
      protocolVersion: declared.version,
      hostInfo: options.host,
      hostCapabilities: listCapabilities(options, resource, permissions),
      hostContext: context,
    };
  };
  const setInitialized = () => {
    phase = 'initialized';
    stopLoadTimer();
    for (const [method, params] of queue) channel.notify(method, params);
    queue = [];
    settleReady?.resolve();
  };
  const handleNotification = (method: string, params: JsonObject) => {
    if (phase === 'initializing' && method === 'ui/notifications/initialized') setInitialized();
    else if (phase !== 'initialized') onProblem(`${method.slice(0, 100)}: the page is not initialized`);
    else if (method === 'ui/notifications/size-changed') followSize(readSize(params));
    else if (method === 'ui/notifications/request-teardown') options.onTeardownRequest?.();
    else if (method === 'notifications/tools/list_changed') {
      if (capabilities.tools) options.onToolsChange?.();
    } else if (method === 'notifications/message') options.log?.(String(params.level).slice(0, 20), params.data);
    else onProblem(`${method.slice(0, 100)}: unknown notification`);
  };
  const followSize = (size: { width?: number; height?: number }) => {
    const { height, maxHeight } = context.containerDimensions ?? {};
    if (options.onSizeChange) options.onSizeChange(size);
    else if (height === undefined && size.height !== undefined)
      frame.element.style.height = `${Math.min(size.height, maxHeight ?? size.height)}px`;
  };

  const channel = createChannel({
    send(message) {
      onMessage?.({ direction: 'to-app', message });
      frame.send(message);
    },
    maxRequests: limits.maxRequests ?? MAX_REQUESTS,
    async handleRequest(method, params, signal) {
      if (method === 'ui/initialize') return initialize(params);
      if (phase !== 'initialized') throw new AppError(REFUSED, `${method.slice(0, 100)}: the page is not initialized`);
      return handleAppRequest(server, options, state, { method, params, signal });
    },
    handleNotification,
  });
  const isTooFast = createRateCheck(limits.maxMessageRate ?? MAX_MESSAGE_RATE, () => clock.now());
  const receive = (data: unknown) => {
    if (isTooFast()) return remove('The page has sent too many messages');
    const parsed = parseMessage(data, limits.maxMessageLength ?? MAX_MESSAGE_LENGTH);
    onMessage?.({ direction: 'from-app', message: parsed.message ?? parsed });
    if (parsed.error) onProblem(`a message of the page is ${parsed.error}`);
    channel.receive(parsed);
  };

  const frame = createSandboxFrame(options, resource, permissions, receive);
  if (context.containerDimensions?.height !== undefined)
    frame.element.style.height = `${context.containerDimensions.height}px`;
  const remove = (reason: string) => {
    if (phase === 'closed') return;
    phase = 'closed';
    queue = [];
    stopLoadTimer();
    channel.close(reason);
    frame.remove();
    settleReady?.reject(new AppError(REFUSED, reason));
    options.onClose?.(reason);
  };
  const stopLoadTimer = clock.setTimer(() => remove('The page did not initialize in time'), timeout);

  /** Sends a request to the page, and gives up after a time. */
  const request = async (method: string, params: JsonObject, limit = timeout): Promise<JsonObject> => {
    const controller = new AbortController();
    const stopTimer = clock.setTimer(() => controller.abort(), limit);
    try {
      return await channel.request(method, params, { signal: controller.signal });
    } finally {
      stopTimer();
    }
  };
  const requireTools = () => {
    if (phase !== 'initialized') throw new AppError(REFUSED, 'The page is not shown');
    if (!capabilities.tools) throw new AppError(REFUSED, 'The page has declared no tools');
  };

  return {
    ready,
    sendPartialToolInput(input) {
      if (toolState === 'waiting') notify('ui/notifications/tool-input-partial', { arguments: input });
    },
    sendToolInput(input) {
      if (toolState !== 'waiting') return;
      toolState = 'input-sent';
      notify('ui/notifications/tool-input', { arguments: input });
    },
    sendToolResult(result) {
      if (toolState === 'done') return;
      this.sendToolInput({});
      toolState = 'done';
      notify('ui/notifications/tool-result', { ...result });
    },
    sendToolCancelled(reason) {
      if (toolState === 'done') return;
      toolState = 'done';
      notify('ui/notifications/tool-cancelled', reason === undefined ? {} : { reason });
    },
    changeContext,
    async listTools() {
      if (phase === 'initialized' && !capabilities.tools) return [];
      requireTools();
      const { tools } = await request('tools/list', {});
      return readTools(tools).slice(0, limits.maxTools ?? MAX_TOOLS);
    },
    async callTool(name, input = {}) {
      requireTools();
      return readToolResult(await request('tools/call', { name, arguments: input }));
    },
    async close(reason = 'The host removes the page') {
      if (phase === 'initialized') {
        phase = 'closing';
        const { teardownTimeout = TEARDOWN_TIMEOUT } = options;
        await request('ui/resource-teardown', { reason }, teardownTimeout).catch(() => {});
      }
      remove(reason);
    },
  };
}

function listCapabilities(options: ViewOptions, { csp }: AppResource, permissions: AppPermissions): JsonObject {
  const { openLink, downloadFile, log, updateModelContext, sendMessage, createMessage } = options;
  return {
    serverTools: {},
    serverResources: {},
    sandbox: { permissions, csp },
    ...(openLink ? { openLinks: {} } : {}),
    ...(downloadFile ? { downloadFile: {} } : {}),
    ...(log ? { logging: {} } : {}),
    ...(updateModelContext ? { updateModelContext: { text: {}, structuredContent: {} } } : {}),
    ...(sendMessage ? { message: { text: {} } } : {}),
    ...(createMessage ? { sampling: {} } : {}),
  };
}

/** Counts messages in windows of one second. */
function createRateCheck(maxRate: number, now: () => number): () => boolean {
  let start = now();
  let count = 0;
  return () => {
    const time = now();
    if (time - start >= 1_000) {
      start = time;
      count = 0;
    }
    count += 1;
    return count > maxRate;
  };
}

function readTools(value: unknown): Tool[] {
  const isTool = (each: unknown): each is Tool =>
    isObject(each) && typeof each.name === 'string' && isObject(each.inputSchema);
  return Array.isArray(value) ? value.filter(isTool) : [];
}

function readToolResult(result: JsonObject): CallToolResult {
  if (!Array.isArray(result.content)) throw new AppError(INVALID_PARAMS, 'The page has returned no content');
  return { ...result, content: result.content };
}
