/** Keys that contain servers, by the programs that use them. */
export const SERVER_SECTIONS: readonly (readonly string[])[] = [
  ['mcpServers'], // Claude Desktop and Code, Cursor, Windsurf, Cline, Gemini CLI, and many more
  ['servers'], // `mcp.json` of VS Code
  ['mcp', 'servers'], // `settings.json` of VS Code
  ['context_servers'], // `settings.json` of Zed
];

/** Supported keys of a server entry. */
export const SUPPORTED_KEYS: readonly string[] = [
  ...['type', 'transport', 'transportType', 'command', 'args', 'env', 'envFile', 'cwd'],
  ...['url', 'serverUrl', 'httpUrl', 'headers', 'disabled', 'enabled'],
  ...['timeout', 'startTimeout', 'idleTimeout', 'totalTimeout'],
  ...[
    'trusted',
    'authExceptions',
    'tools',
    'includeTools',
    'excludeTools',
    'disabledTools',
    'roots',
    'share',
    'strict',
    'assumeCapabilities',
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
  headersHelper: 'use `headers` with variables, because no program is run for headers',
  oauth: SIGN_IN_HINT,
  auth: SIGN_IN_HINT,
  authProviderType: SIGN_IN_HINT,
  bundle: 'write the path of the bundle as `command`: `tenon` unpacks and runs it',
  dev: 'run the server under `tenon dev` instead',
  settings: 'use `args` and `env`',
};

/** Keys that do not affect how the host runs a server. */
export const IGNORED_KEYS: readonly string[] = [
  ...['$schema', 'name', 'title', 'description', 'version', 'gallery', 'icon', 'iconPath', 'source', 'alwaysLoad'],
  ...['_comment', 'comment', 'note', 'sandbox', 'remote'],
];

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
