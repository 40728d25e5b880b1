import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HostPath, McpHost } from '../../packages/cli/src/mcp-hosts/hosts/mcp-host.js';
import { mcpHosts } from '../../packages/cli/src/mcp-hosts/hosts/mcp-hosts.js';
import { root } from './pages.js';

/** Vue would replace braces in a code span. */
const code = (text: string | undefined) => {
  if (text === undefined) return '–';
  return text.includes('{{') ? `<code v-pre>${text}</code>` : `\`${text}\``;
};

/** A path as users of macOS and Linux, or of Windows, write it. */
function formatPath(template: HostPath | undefined, platform: 'linux' | 'win32'): string | undefined {
  if (template === undefined) return undefined;
  const text = typeof template === 'string' ? template : template[platform];
  const folders = platform === 'win32' ? { data: '%APPDATA%', local: '%LOCALAPPDATA%' } : { data: '{data}' };
  const names: Record<string, string> = { config: '~/.config', ...folders };
  const resolved = text.replace(
    /^\{(\w+)(?::([^}]*))?\}/,
    (_, name: string, fallback?: string) => fallback ?? names[name] ?? '',
  );
  return platform === 'win32' ? resolved.replaceAll('/', '\\').replace(/^~/, '%USERPROFILE%') : resolved;
}

function formatVariable({ variables: { text, envNames } }: McpHost): string {
  const names = envNames === undefined ? [] : [code(envNames)];
  return [...(text === undefined ? [] : [code(text.replaceAll('|', '\\|'))]), ...names].join(', ') || '–';
}

/** The table of the page. This test prints it if it differs. */
const table = [
  '| host | `--host` | file on macOS and Linux | file on Windows | file of a project | variable |',
  '|---|---|---|---|---|---|',
  ...mcpHosts.map(host =>
    [
      ...['', `[${host.title}](${host.docs})`, code(host.id), code(formatPath(host.user[0], 'linux'))],
      ...[code(formatPath(host.user[0], 'win32')), code(host.project[0]), formatVariable(host), ''],
    ]
      .join(' | ')
      .trim(),
  ),
].join('\n');

it('lists the hosts of `tenon add` on the page [cli.add]', () => {
  expect(readFileSync(join(root, 'docs/hosts/add-servers.md'), 'utf8')).toContain(table);
});
