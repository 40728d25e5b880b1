import { parseWebUrl } from '@tenon/base';
import { AppError, INVALID_PARAMS, REFUSED } from '../channel/app-error.js';
import { isObject, type JsonObject } from '../channel/messages.js';
import {
  type AppCapabilities,
  type ContentBlock,
  DISPLAY_MODES,
  type DisplayMode,
  type DownloadContent,
  LATEST_UI_VERSION,
  type ModelContext,
  UI_VERSIONS,
} from '../channel/ui-types.js';

function refuse(method: string, expected: string): never {
  throw new AppError(INVALID_PARAMS, `Invalid params of ${method}. Expected ${expected}`);
}

/** Content blocks that have a type. The host passes them on and does not read their other members. */
function isContent(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.every(block => isObject(block) && typeof block.type === 'string');
}

/** Reads what a page declares. An unknown version is answered with the latest. */
export function readInitialize(params: JsonObject): { version: string; capabilities: AppCapabilities } {
  const { appInfo, appCapabilities, protocolVersion } = params;
  if (!isObject(appInfo) || typeof appInfo.name !== 'string' || typeof appInfo.version !== 'string')
    refuse('ui/initialize', 'appInfo with name and version');
  if (!isObject(appCapabilities)) refuse('ui/initialize', 'appCapabilities');
  if (typeof protocolVersion !== 'string') refuse('ui/initialize', 'protocolVersion');
  const { availableDisplayModes: modes, tools } = appCapabilities;
  if (modes !== undefined && !Array.isArray(modes)) refuse('ui/initialize', 'a list as availableDisplayModes');
  return {
    version: UI_VERSIONS.find(each => each === protocolVersion) ?? LATEST_UI_VERSION,
    capabilities: {
      ...(modes ? { availableDisplayModes: DISPLAY_MODES.filter(mode => modes.includes(mode)) } : {}),
      ...(isObject(tools) ? { tools: { listChanged: tools.listChanged === true } } : {}),
    },
  };
}

export function readToolCall({ name, arguments: input = {} }: JsonObject): { name: string; input: JsonObject } {
  if (typeof name !== 'string' || !isObject(input)) refuse('tools/call', 'a name and an object as arguments');
  return { name, input };
}

export function readUri({ uri }: JsonObject): string {
  if (typeof uri !== 'string') refuse('resources/read', 'a uri');
  return uri;
}

/** Reads the URL of a link. Other schemes, such as `javascript:` and `file:`, are refused. */
export function readLink({ url }: JsonObject): URL {
  const link = typeof url === 'string' ? parseWebUrl(url) : undefined;
  if (!link) throw new AppError(REFUSED, 'Invalid URL. Expected http: or https:');
  if (link.username !== '' || link.password !== '') throw new AppError(REFUSED, 'Invalid URL. Expected no user name');
  return link;
}

/** Reads a message. The version 2026-01-26 also shows a single block as `content`. */
export function readMessage({ role, content }: JsonObject): readonly ContentBlock[] {
  const blocks = isObject(content) ? [content] : content;
  if (role !== 'user' || !isContent(blocks) || blocks.length === 0) refuse('ui/message', 'the role user, and content');
  return blocks;
}

export function readModelContext({ content, structuredContent }: JsonObject): ModelContext {
  if (content !== undefined && !isContent(content)) refuse('ui/update-model-context', 'a list as content');
  if (structuredContent !== undefined && !isObject(structuredContent))
    refuse('ui/update-model-context', 'an object as structuredContent');
  return {
    ...(content === undefined ? {} : { content }),
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
}

export function readDisplayMode({ mode }: JsonObject): DisplayMode {
  return DISPLAY_MODES.find(each => each === mode) ?? refuse('ui/request-display-mode', DISPLAY_MODES.join(', '));
}

export function readDownload({ contents }: JsonObject): readonly DownloadContent[] {
  const isDownload = (value: unknown): value is DownloadContent =>
    isObject(value) &&
    ((value.type === 'resource' && isObject(value.resource)) ||
      (value.type === 'resource_link' && typeof value.uri === 'string'));
  if (!Array.isArray(contents) || contents.length === 0 || !contents.every(isDownload))
    refuse('ui/download-file', 'embedded resources or resource links');
  return contents;
}

/** Reads a size. Returns no members for values that are not lengths. */
export function readSize({ width, height }: JsonObject): { width?: number; height?: number } {
  const isLength = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 100_000;
  return { ...(isLength(width) ? { width } : {}), ...(isLength(height) ? { height } : {}) };
}
