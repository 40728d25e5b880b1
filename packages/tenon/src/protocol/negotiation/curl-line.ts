import type { JsonObject } from '@tenon/base';
import type { Dialect } from '../versions/dialect.js';
import { createRequestMeta } from './classify-request.js';

const CLIENT_INFO = { name: 'curl', version: '1' };

/**
 * Returns a command line of curl that a server with these dialects answers without a session. It lists the tools, or opens
 * a session if the server has no stateless version.
 *
 * @param url URL without quotes, spaces and characters of a shell.
 */
export function createCurlLine(url: string, served: readonly Dialect[]): string {
  const stateless = served.find(({ opening }) => opening === 'per-request');
  const method = stateless ? 'tools/list' : 'initialize';
  const params: JsonObject = stateless
    ? { _meta: createRequestMeta({ capabilities: {}, client: CLIENT_INFO, logLevel: undefined }, stateless) }
    : { protocolVersion: served[0]?.protocolVersion, capabilities: {}, clientInfo: CLIENT_INFO };
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...(stateless ? [`MCP-Protocol-Version: ${stateless.protocolVersion}`, `Mcp-Method: ${method}`] : []),
  ];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return ['curl', url, ...headers.map(header => `-H '${header}'`), `-d '${body}'`].join(' ');
}
