import { desktopHosts } from './desktop-hosts.js';
import { editorHosts } from './editor-hosts.js';
import { extensionHosts } from './extension-hosts.js';
import type { McpHost } from './mcp-host.js';
import { terminalHosts } from './terminal-hosts.js';

/** Known hosts, by title. */
export const mcpHosts: readonly McpHost[] = [...desktopHosts, ...editorHosts, ...extensionHosts, ...terminalHosts].sort(
  (a, b) => a.title.localeCompare(b.title, 'en'),
);
