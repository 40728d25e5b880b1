import { AppError, INVALID_PARAMS, REFUSED } from '../channel/app-error.js';
import { createUnknownMethodError } from '../channel/channel.js';
import type { JsonObject } from '../channel/messages.js';
import { isVisibleTo } from '../channel/ui-meta.js';
import type { AppCapabilities, HostContext, Tool } from '../channel/ui-types.js';
import type { AppServer } from './app-server.js';
import {
  readDisplayMode,
  readDownload,
  readLink,
  readMessage,
  readModelContext,
  readToolCall,
  readUri,
} from './request-params.js';
import type { ViewOptions } from './view-options.js';

/** State of a view that its requests need. */
export interface ViewState {
  readonly capabilities: AppCapabilities;
  readonly context: HostContext;
  changeContext(changes: HostContext): void;
}

/** Handles a request of an initialized page. Its server is the one of the connection that returned the page. */
export async function handleAppRequest(
  server: AppServer,
  options: ViewOptions,
  state: ViewState,
  { method, params, signal }: { readonly method: string; readonly params: JsonObject; readonly signal: AbortSignal },
): Promise<object> {
  const { openLink, sendMessage, updateModelContext, downloadFile, createMessage } = options;
  if (method === 'ping') return {};
  if (method === 'tools/call') {
    const { name, input } = readToolCall(params);
    const tool = await findAppTool(server, name, options.tool.name, signal);
    await requireAllowed(options, { kind: 'tool', tool, input });
    return callServer(`tools/call ${name}`, server.callTool(tool.name, input, { signal }));
  }
  if (method === 'resources/read') {
    const uri = readUri(params);
    await requireAllowed(options, { kind: 'resource', uri });
    return callServer(`resources/read ${uri.slice(0, 200)}`, server.readResource(uri, { signal }));
  }
  if (method === 'ui/request-display-mode') return { mode: await changeDisplayMode(options, state, params) };
  if (method === 'ui/open-link' && openLink) await runHandler(() => openLink(readLink(params)));
  else if (method === 'ui/message' && sendMessage) await runHandler(() => sendMessage(readMessage(params)));
  else if (method === 'ui/update-model-context' && updateModelContext)
    await runHandler(() => updateModelContext(readModelContext(params)));
  else if (method === 'ui/download-file' && downloadFile) await runHandler(() => downloadFile(readDownload(params)));
  else if (method === 'sampling/createMessage' && createMessage) return runHandler(() => createMessage(params, signal));
  else throw createUnknownMethodError(method);
  return {};
}

/**
 * Finds a tool that pages may call. The error is the same for tools that are hidden and for those that do not exist. A
 * gateway puts the same prefix before all tools of a server, and a page knows the names without it.
 */
async function findAppTool(server: AppServer, name: string, shownTool: string, signal: AbortSignal): Promise<Tool> {
  let prefixed: Tool | undefined;
  for await (const tool of server.listTools({ signal })) {
    if (tool.name === name) {
      if (isVisibleTo('app', tool)) return tool;
      throw createUnknownToolError(name);
    }
    const prefix = tool.name.endsWith(name) ? tool.name.slice(0, -name.length) : '';
    if (!/[^A-Za-z\d]$/.test(prefix) || !shownTool.startsWith(prefix) || !isVisibleTo('app', tool)) continue;
    // A longer one can be another tool of the server, such as `a__list_all` for `all` beside `a__all`.
    if (prefixed === undefined || tool.name.length < prefixed.name.length) prefixed = tool;
  }
  if (prefixed) return prefixed;
  throw createUnknownToolError(name);
}

function createUnknownToolError(name: string): AppError {
  return new AppError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}. Expected a tool that is visible to apps`);
}

async function requireAllowed(
  { allowRequest }: ViewOptions,
  request: Parameters<NonNullable<ViewOptions['allowRequest']>>[0],
): Promise<void> {
  if (allowRequest && (await runHandler(() => allowRequest(request))) !== true)
    throw new AppError(REFUSED, 'The host has refused the request');
}

/** Passes on the JSON-RPC error of a server, without fields that only the host may see. */
async function callServer<T>(subject: string, response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    const { rpcCode, summary } = error as { readonly rpcCode?: unknown; readonly summary?: unknown };
    if (typeof rpcCode === 'number' && typeof summary === 'string') throw new AppError(rpcCode, summary);
    throw new AppError(REFUSED, `${subject}: the server did not answer`);
  }
}

/** Runs a function of the host. Its errors are for the page only if they are an `AppError`. */
async function runHandler<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof AppError ? error : new AppError(REFUSED, 'The host has refused the request');
  }
}

/** Only asks for modes that the page has declared and the host offers. */
async function changeDisplayMode(options: ViewOptions, state: ViewState, params: JsonObject): Promise<string> {
  const mode = readDisplayMode(params);
  const current = state.context.displayMode ?? 'inline';
  const { changeDisplayMode: change } = options;
  const isOffered = state.context.availableDisplayModes?.includes(mode) ?? false;
  if (!change || !isOffered || !isDeclaredMode(state.capabilities, mode) || mode === current) return current;
  const displayMode = await runHandler(() => change(mode));
  state.changeContext({ displayMode });
  return displayMode;
}

/** Tells if a page has declared a display mode. A page that declares none supports `inline` only. */
export function isDeclaredMode({ availableDisplayModes = ['inline'] }: AppCapabilities, mode: string): boolean {
  return availableDisplayModes.some(each => each === mode);
}
