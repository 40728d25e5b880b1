/** Keys that contain servers, by the programs that use them. The servers are an object by name, or a list. */
export const SERVER_SECTIONS: readonly (readonly string[])[] = [
  ['mcpServers'], // Claude Desktop and Code, Cursor, Windsurf, Cline, Gemini CLI, Continue, and many more
  ['servers'], // `mcp.json` of VS Code
  ['mcp', 'servers'], // `settings.json` of VS Code
  ['context_servers'], // `settings.json` of Zed
  ['amp.mcpServers'], // Amp
  ['mcp_servers'], // Codex
  ['mcp-servers'], // adapters of agents
];
/** Section of OpenCode and Crush. Other programs have settings under this key, so it counts if there is no other one. */
export const MCP_SECTION: readonly string[] = ['mcp'];
/** Section of Goose. In JSON, other programs have their extensions under this key. */
export const GOOSE_SECTION: readonly string[] = ['extensions'];

/** Supported keys of a server entry. */
export const SUPPORTED_KEYS: readonly string[] = [
  ...['type', 'transport', 'transportType', 'command', 'args', 'env', 'envFile', 'cwd', 'docker', 'podman'],
  ...['url', 'serverUrl', 'httpUrl', 'headers', 'disabled', 'enabled'],
  ...['openapi', 'apiUrl', 'resources', 'serverOrigins'],
  ...['timeout', 'startTimeout', 'idleTimeout', 'totalTimeout'],
  ...[
    'trusted',
    'auth',
    'authExceptions',
    'tools',
    'includeTools',
    'excludeTools',
    'disabledTools',
    'roots',
    'share',
    'strict',
    'assumeCapabilities',
    'protocolVersion',
    'sandboxEnabled',
  ],
];

const POLICY_HINT = 'say what may be called by rules of the policy: `allow("server/tool")`';
const SIGN_IN_HINT = 'a server that asks for a sign-in is asked how; give a fixed token by `headers`';

/** Keys that other hosts support and this one does not, each with an alternative. */
export const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  autoApprove: POLICY_HINT,
  alwaysAllow: POLICY_HINT,
  trust: `${POLICY_HINT}, and set \`trusted\` to trust the annotations of a server`,
  always_allow: POLICY_HINT,
  auto_approve: POLICY_HINT,
  default_tools_approval_mode: POLICY_HINT,
  headersHelper: 'use `headers` with variables, because no program is run for headers',
  oauth: SIGN_IN_HINT,
  authProviderType: SIGN_IN_HINT,
  ...Object.fromEntries(
    [
      'ClientId',
      'ClientSecret',
      'ClientSecretEnv',
      'TokenEndpointAuthMethod',
      'RedirectUrl',
      'Scope',
      'Command',
    ].flatMap(name => [
      [`oauth${name}`, SIGN_IN_HINT],
      [`oauth${name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}`, SIGN_IN_HINT],
    ]),
  ),
  refresh: SIGN_IN_HINT,
  scopes: SIGN_IN_HINT,
  bundle: 'write the path of the bundle as `command`: `tenon` unpacks and runs it',
  dev: 'run the server under `tenon dev` instead',
  settings: 'use `args` and `env`',
};

/** Keys that do not affect how the host runs a server. */
export const IGNORED_KEYS: readonly string[] = [
  ...['$schema', 'name', 'title', 'description', 'version', 'gallery', 'icon', 'iconPath', 'source', 'alwaysLoad'],
  ...['_comment', 'comment', 'note', 'sandbox', 'remote', '//', '_note', '_description', 'notes', 'id', 'displayName'],
  ...['author', 'license', 'homepage', 'repository', 'documentation', 'docs', 'category', 'tags', 'metadata', 'logo'],
  // Settings of mcporter for connections and logs, and members of Goose.
  ...[
    'lifecycle',
    'logging',
    'tokenCacheDir',
    'token_cache_dir',
    'clientName',
    'client_name',
    'httpFetch',
    'http_fetch',
  ],
  ...['bundled', 'required', 'supports_parallel_tool_calls', 'display_name'],
];

/** Keys that occur in place of others, and are more similar to a third one. */
export const MISTAKEN_KEYS: Readonly<Record<string, string>> = { cmd: 'command', program: 'command' };

/** Keys that restrict the tools of an entry, in the spellings of several hosts. */
export const TOOL_RESTRICTIONS: readonly string[] = ['tools', 'includeTools', 'excludeTools', 'disabledTools'];

/** Words in the names of keys that switch a server on. */
const ENABLING_WORDS: ReadonlySet<string> = new Set(['enable', 'enabled', 'active', 'on']);
/** Words in the names of keys that switch a server off, or that select what it may offer. */
const RESTRICTING_WORDS: ReadonlySet<string> = new Set([
  ...['disable', 'disabled', 'inactive', 'off', 'paused', 'skip', 'skipped', 'ignore', 'ignored', 'hide', 'hidden'],
  ...['tool', 'tools', 'include', 'includes', 'included', 'exclude', 'excludes', 'excluded', 'filter', 'filters'],
  ...['allow', 'allowed', 'allowlist', 'whitelist', 'deny', 'denied', 'denylist', 'blacklist', 'forbid', 'forbidden'],
  ...['block', 'blocked', 'blocklist', 'only', 'readonly', 'restrict', 'restricted', 'restrictions', 'sandbox'],
  ...['sandboxed', 'permission', 'permissions'],
]);

/**
 * Tells if an unknown key could restrict a server. Dropping such a key would offer more than its author wants.
 *
 * @param nearest Known key that is most similar to it.
 */
export function couldRestrict(key: string, value: unknown, nearest = ''): boolean {
  if (Object.hasOwn(UNSUPPORTED_KEYS, nearest) || typeof value === 'number') return false;
  const words = [key, nearest].flatMap(splitWords);
  if (words.some(word => RESTRICTING_WORDS.has(word))) return value !== false;
  return words.some(word => ENABLING_WORDS.has(word)) && value !== true;
}

/** Splits `disabled_tools`, `disabled-tools` and `disabledTools` into words. */
const splitWords = (key: string): string[] =>
  key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
