/** The keys that hold servers, by who writes them so. */
export const SECTIONS: readonly (readonly string[])[] = [
  ['mcpServers'], // Claude Desktop and Code, Cursor, Windsurf, Cline, Gemini CLI, and many more
  ['servers'], // VS Code's mcp.json
  ['mcp', 'servers'], // VS Code's settings.json
  ['context_servers'], // Zed's settings.json
];

/** The keys of a server that are followed. */
export const FOLLOWED: readonly string[] = [
  ...['type', 'transport', 'transportType', 'command', 'args', 'env', 'envFile', 'cwd'],
  ...['url', 'serverUrl', 'httpUrl', 'headers', 'disabled', 'enabled'],
  ...['timeout', 'startTimeout', 'idleTimeout', 'totalTimeout'],
  ...['trusted', 'tools', 'includeTools', 'excludeTools', 'disabledTools', 'roots', 'sandboxEnabled'],
];

const byPolicy = 'say what may be called by rules of the policy: `allow("server/tool")`';
const bySignIn = 'a server that asks for a sign-in is asked how; give a fixed token by `headers`';

/** Keys that other hosts follow and this one does not, with what to do instead. */
export const UNFOLLOWED: Readonly<Record<string, string>> = {
  autoApprove: byPolicy,
  alwaysAllow: byPolicy,
  trust: `${byPolicy}; to have the annotations of a server believed write \`trusted\``,
  headersHelper: 'no program is run for headers; give them by `headers`, with variables',
  oauth: bySignIn,
  auth: bySignIn,
  authProviderType: bySignIn,
  dev: 'run the server under `tenon dev` instead',
  settings: 'give the server what it needs by `args` and `env`',
};

/** Keys that say nothing about how a server is run. */
export const REMARKS: readonly string[] = [
  ...['$schema', 'name', 'title', 'description', 'version', 'gallery', 'icon', 'iconPath', 'source', 'alwaysLoad'],
  ...['_comment', 'comment', 'note', 'sandbox', 'remote'],
];

/** The known key that an unknown one was most likely meant to be. */
export function nearestKey(name: string, known: readonly string[]): string | undefined {
  if (name.length > 40) return undefined;
  const plain = plainOf(name);
  const ranked = known.map(each => ({ each, distance: distanceOf(plain, plainOf(each)) }));
  const nearest = ranked.reduce((best, each) => (each.distance < best.distance ? each : best));
  return nearest.distance <= Math.max(1, Math.floor(plain.length / 3)) ? nearest.each : undefined;
}

const plainOf = (name: string): string => name.toLowerCase().replace(/[-_ ]/g, '');

/** How many letters must be put in, taken out, changed or swapped with the next. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same];
      row.push(Math.min(...ways, swapped ? (before[j - 2] ?? 0) + 1 : Infinity));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
