// @ts-check
/** Writes docs/command, a page for each command, from the help of the built command: `npm run docs:command`. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './process.mjs';

export const folder = join(root, 'docs/command');
const command = join(root, 'packages/cli/dist/tenon.mjs');
/** Introductions and links, written by hand. @type {Record<string, string>} */
const guides = {
  list: 'The guide is [Use a server from a terminal](../clients/terminal.md).',
  call: 'The guide is [Use a server from a terminal](../clients/terminal.md#call-a-tool).',
  answer: 'The guide is [Use a server from a terminal](../clients/terminal.md#answer-questions).',
  read: 'The guide is [Use a server from a terminal](../clients/terminal.md#read-resources-and-prompts).',
  prompt: 'The guide is [Use a server from a terminal](../clients/terminal.md#read-resources-and-prompts).',
  complete: 'The guide is [Use a server from a terminal](../clients/terminal.md#read-resources-and-prompts).',
  subscribe: 'The guide is [Use a server from a terminal](../clients/terminal.md#watch-changes).',
  skills: 'The guide is [Use a server from a terminal](../clients/terminal.md#read-skills).',
  tasks: 'The guide is [Use a server from a terminal](../clients/terminal.md#follow-tasks).',
  logout: 'The guide is [Sign in](../authorization/sign-in.md).',
  types: 'The guide is [Typed clients](../clients/typed-clients.md#servers-that-you-did-not-write).',
  generate: 'The guide is [Use a server from a terminal](../clients/terminal.md#generate-a-command-for-one-server).',
  init: 'The guide is [First server](../start/first-server.md#create-a-project).',
  dev: 'The guide is [Develop](../servers/develop.md).',
  console: 'The guide is [Console](../console.md).',
  'import-openapi': 'The guide is [Wrap a REST API](../recipes/wrap-a-rest-api.md).',
  migrate:
    'The guides are [Migrate a server with one command](../recipes/migrate-a-server.md), [Move from the official SDK v1](../recipes/from-sdk-v1.md) and [v2](../recipes/from-sdk-v2.md).',
  record: 'The guide is [Record a bug and replay it in a test](../recipes/record-a-bug.md).',
  replay: 'The guide is [Record a bug and replay it in a test](../recipes/record-a-bug.md#reproduce-it).',
  mock: 'The guide is [Record a bug and replay it in a test](../recipes/record-a-bug.md#develop-without-the-server).',
  doctor: 'The guide is [Troubleshooting](../help/troubleshooting.md).',
  add: 'The guide is [Add servers to hosts](../hosts/add-servers.md).',
  remove: 'The guide is [Add servers to hosts](../hosts/add-servers.md#remove-a-server).',
  search: 'The guide is [Add servers to hosts](../hosts/add-servers.md#find-a-server-in-a-registry).',
  conformance: 'The guide is [Testing](../servers/testing.md#run-the-official-conformance-suite).',
  sync: 'The guide is [Add servers to hosts](../hosts/add-servers.md#give-all-hosts-the-same-servers).',
  serve: 'The guides are [HTTP](../deploy/http.md) and [Several replicas](../deploy/replicas.md).',
  gateway: 'The guide is [Gateway](../hosts/gateway.md).',
  bridge: 'The guide is [Bridge](../hosts/bridge.md).',
  lock: 'The guide is [Lock](../hosts/lock.md).',
  policy: 'The guide is [Policy](../hosts/policy.md).',
  approvals: 'The guide is [Gateway](../hosts/gateway.md#ask-a-person).',
  store: 'The guide is [Several replicas](../deploy/replicas.md#restore-a-backup).',
  audit: 'The guide is [Audit](../hosts/audit.md).',
  daemon: 'The guide is [Use a server from a terminal](../clients/terminal.md#keep-a-server-open-between-commands).',
  schema: 'The guide is [Use a server from a terminal](../clients/terminal.md#use-it-in-scripts).',
  agent: 'The guide is [Use a server from a terminal](../clients/terminal.md#teach-agents-the-command).',
  completion: 'The guide is [Use a server from a terminal](../clients/terminal.md#complete-words-in-a-shell).',
};

/** Reads the help of the built command. @param {readonly string[]} path */
async function readBuiltHelp(path) {
  const env = { ...process.env, NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [command, ...path, '--help'], { env });
  return stdout;
}

/** Names and summaries of the commands that a help text lists. @param {string} help @returns {[string, string][]} */
function listCommands(help) {
  const sections = help.split(/\n\n(?=[A-Z][\w ]*:\n)/).slice(1);
  const others = /^(Options|Arguments|Examples|Exit codes):/;
  const list = sections.filter(text => (isAll(help) ? !others.test(text) : text.startsWith('Commands:'))).join('\n');
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)(?: [[<].*?)? {2,}(.*(?:\n {10,}.*)*)$/gm)]
    .map(([, name = '', summary = '']) => /** @type {[string, string]} */ ([name, summary.replace(/\s+/g, ' ')]))
    .filter(([name]) => name !== 'help');
}

/** Tells if a help text describes all commands. @param {string} help */
const isAll = help => help.startsWith('Usage: tenon COMMAND');

const TARGETS = `## Targets

Commands with a \`TARGET\` accept a server in each of these forms:

| form | example | server |
|---|---|---|
| URL | \`tenon list https://example.com/mcp\` | over HTTP |
| command after \`--\` | \`tenon list -- node server.js\` | started by the command |
| file | \`tenon list server.ts\` | started by Node, or by uv or Python; or the server that the module exports |
| export of a module | \`tenon list server.ts#notes\` | this server of the module, served on stdio |
| bundle | \`tenon list ./server.mcpb\` | unpacked and started, after your approval |
| recording | \`tenon list calls.ndjson\` | answers as recorded |
| name | \`tenon list notes\` | of \`mcp.json\`, or of an MCP host |
| name in a registry | \`tenon list io.github.example/notes@1.2.0\` | started or reached as the registry describes, after your approval |

A bundle may request values. In a terminal, the command asks for them. Elsewhere, pass \`--user-config NAME=VALUE\`, and for a secret
\`--user-config-env NAME=VARIABLE\`. The values are never stored. The command prints the SHA-256 of the bundle. It does not verify
signatures. A server of a configuration may be a bundle, too: see [Gateway](../hosts/gateway.md#run-bundles).

\`record\`, \`conformance\`, \`generate cli\` and \`replay --against\` do not accept a recording. \`bridge\` accepts a URL or a
command. \`add\` accepts all forms but recordings and names of configurations.

## Tokens and headers

No option takes a secret itself, because other users of the machine can read command lines, and shells keep them.

| option | sent to a server at a URL |
|---|---|
| \`--bearer-env VARIABLE\`, \`--token-file FILE\` | the token in this variable or file |
| \`-H\`, \`--header 'NAME: VALUE'\` | this header. \`\${VARIABLE}\` in single quotes is replaced by the value of the variable |
| \`--header-file FILE\` | the headers in this file, one in each line |
| \`--auth stored\` | the token of an earlier sign-in. This is the default without a terminal |
| \`--auth browser\` | the token of a sign-in in your browser. This is the default in a terminal |
| \`--auth browser --print-url\` | the same on a remote machine: open the URL anywhere, and paste the final address |
| \`--auth device\` | the same without an address to paste: enter a code on a page of the authorization server |
| \`--auth client-credentials --client-id ID\` | the token of a program, with \`--client-secret-env\`, \`--client-secret-file\` or \`--client-key-file\` |
| \`--auth none\` | no token |

\`-\` in place of a file is standard input. Headers are not sent to other servers after a redirect, and are not recorded. Tokens of a
sign-in are stored in a file that only you can read, for each server and client. Without a token, a command that needs one ends with the exit code 3.
`;

/** @param {string} text */
const toBlock = text => `\`\`\`text\n${text}\n\`\`\`\n`;

/**
 * The pages, each with its file name and a function that writes it.
 * @param {(path: readonly string[]) => Promise<string>} read reads the help of a command
 * @returns {Promise<{ name: string, create: () => Promise<string> }[]>}
 */
export async function listPages(read) {
  const readHelp = async (/** @type {readonly string[]} */ path) => (await read(path)).trimEnd();
  const [help, all] = await Promise.all([readHelp([]), readHelp(['help', '--all'])]);
  const commands = listCommands(all);
  const rows = commands.map(([name, summary]) => `| [\`tenon ${name}\`](${name}.md) | ${summary} |`);
  const overview = [
    '# The command `tenon`\n',
    'Install it with `npm install --global @tenon/cli`, or run it with `npx @tenon/cli`. [Everyday jobs](jobs.md) shows the most\nfrequent uses with their output.\n',
    `| command | purpose |\n|---|---|\n${rows.join('\n')}\n`,
    TARGETS,
    '## Help\n',
    toBlock(help),
    '## Exit codes\n',
    toBlock(all.slice(all.indexOf('  0 '))),
  ].join('\n');
  const createPage = async (/** @type {string} */ name, /** @type {string} */ summary) => {
    const own = await readHelp([name]);
    const helpOfParts = await Promise.all(listCommands(own).map(([part]) => readHelp([name, part])));
    const parts = listCommands(own).map(
      ([part], index) => `## tenon ${name} ${part}\n\n${toBlock(helpOfParts[index] ?? '')}`,
    );
    const begin = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
    return [`# tenon ${name}\n`, `${begin} ${guides[name] ?? ''}\n`, toBlock(own), ...parts].join('\n');
  };
  return [
    { name: 'index.md', create: async () => overview },
    ...commands.map(([name, summary]) => ({ name: `${name}.md`, create: () => createPage(name, summary) })),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const pages = await listPages(readBuiltHelp);
  mkdirSync(folder, { recursive: true });
  await Promise.all(pages.map(async ({ name, create }) => writeFileSync(join(folder, name), await create())));
  console.log(`wrote ${pages.length} pages, of ${readdirSync(folder).length}, to docs/command`);
}

/** @param {string} name */
export const readPage = name => readFileSync(join(folder, name), 'utf8');
