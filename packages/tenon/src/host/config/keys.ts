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
