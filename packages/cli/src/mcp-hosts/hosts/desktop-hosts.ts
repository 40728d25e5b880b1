import type { McpHost } from './mcp-host.js';
import { NO_VARIABLE, PLAIN_COMMAND, PLAIN_URL, SHELL_VARIABLE } from './shapes.js';

/** Applications with windows of their own, other than editors. */
export const desktopHosts: readonly McpHost[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    docs: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
    user: ['{data}/Claude/claude_desktop_config.json'],
    project: [],
    format: 'jsonc',
    section: ['mcpServers'],
    command: PLAIN_COMMAND,
    variables: NO_VARIABLE,
  },
  {
    id: 'goose',
    title: 'Goose',
    docs: 'https://block.github.io/goose/docs/guides/config-files',
    user: [
      {
        darwin: '~/.config/goose/config.yaml',
        linux: '{config}/goose/config.yaml',
        win32: '{data}/Block/goose/config/config.yaml',
      },
    ],
    project: [],
    format: 'yaml',
    section: ['extensions'],
    command: {
      type: 'stdio',
      command: 'cmd',
      args: 'args',
      env: 'envs',
      name: 'name',
      fixed: { enabled: true, timeout: 300 },
    },
    url: {
      type: 'streamable_http',
      url: 'uri',
      headers: ['headers'],
      sse: { type: 'sse' },
      name: 'name',
      fixed: { enabled: true, timeout: 300 },
    },
    variables: { ...SHELL_VARIABLE, envNames: 'env_keys' },
  },
  {
    id: 'lm-studio',
    title: 'LM Studio',
    docs: 'https://lmstudio.ai/docs/app/mcp',
    user: ['~/.lmstudio/mcp.json'],
    project: [],
    format: 'jsonc',
    section: ['mcpServers'],
    command: PLAIN_COMMAND,
    url: PLAIN_URL,
    variables: NO_VARIABLE,
  },
  {
    id: 'warp',
    title: 'Warp',
    docs: 'https://docs.warp.dev/agent-platform/capabilities/mcp',
    user: ['~/.warp/.mcp.json'],
    project: ['.warp/.mcp.json'],
    format: 'jsonc',
    section: ['mcpServers'],
    command: PLAIN_COMMAND,
    url: PLAIN_URL,
    variables: NO_VARIABLE,
  },
];
