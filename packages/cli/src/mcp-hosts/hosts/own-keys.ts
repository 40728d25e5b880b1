import type { McpHost } from './mcp-host.js';

/** Keys of a URL that hosts accept besides their own. */
const URL_KEYS = ['url', 'serverUrl', 'httpUrl', 'uri', 'baseUrl'];

/** Keys of an entry that the form of a host decides. All others belong to the user. */
export function listOwnKeys({ command, url, variables }: McpHost): ReadonlySet<string> {
  const keys = [
    ...['type', 'command', 'args', 'env', command.command, command.args, command.env, command.name, variables.envNames],
    ...[url?.url, url?.sse?.url, url?.headers[0], ...URL_KEYS],
    ...[variables.headerNames?.headers, variables.headerNames?.bearer],
  ];
  return new Set(keys.filter(each => each !== undefined));
}
