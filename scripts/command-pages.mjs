// @ts-check
/** Writes docs/command, a page for each command, from the help of the built command: `npm run docs:command`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  tasks: 'The guide is [Use a server from a terminal](../clients/terminal.md#follow-tasks).',
  types: 'The guide is [Typed clients](../clients/typed-clients.md#servers-that-you-did-not-write).',
  serve: 'The guides are [HTTP](../deploy/http.md) and [Several replicas](../deploy/replicas.md).',
  gateway: 'The guide is [Gateway](../hosts/gateway.md).',
  bridge: 'The guide is [Bridge](../hosts/bridge.md).',
  lock: 'The guide is [Lock](../hosts/lock.md).',
  policy: 'The guide is [Policy](../hosts/policy.md).',
  approvals: 'The guide is [Gateway](../hosts/gateway.md#ask-a-person).',
  audit: 'The guide is [Audit](../hosts/audit.md).',
  completion: 'The guide is [Use a server from a terminal](../clients/terminal.md#complete-words-in-a-shell).',
};

/** @param {readonly string[]} path */
function readHelp(path) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [command, ...path, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '110', NO_COLOR: '1' },
  });
  if (status !== 0) throw new Error(`tenon ${path.join(' ')} --help ended with ${status}: ${stderr}`);
  return stdout.trimEnd();
}

/** Names and summaries of the commands that a help text lists. @param {string} help @returns {[string, string][]} */
function listCommands(help) {
  const [, list = ''] = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z]+)\b.*? {2,}(.*(?:\n {10,}.*)*)$/gm)]
    .map(([, name = '', summary = '']) => /** @type {[string, string]} */ ([name, summary.replace(/\s+/g, ' ')]))
    .filter(([name]) => name !== 'help');
}

/** @param {string} text */
const toBlock = text => `\`\`\`text\n${text}\n\`\`\`\n`;

/** The pages by file name. @returns {Record<string, string>} */
export function createPages() {
  const help = readHelp([]);
  const commands = listCommands(help);
  const rows = commands.map(([name, summary]) => `| [\`tenon ${name}\`](${name}.md) | ${summary} |`);
  const overview = [
    '# The command `tenon`\n',
    'Install it with `npm install --global @tenon/cli`, or run it with `npx @tenon/cli`.\n',
    `| command | purpose |\n|---|---|\n${rows.join('\n')}\n`,
    toBlock(help),
  ].join('\n');
  const pages = commands.map(([name, summary]) => {
    const own = readHelp([name]);
    const parts = listCommands(own).map(([part]) => `## tenon ${name} ${part}\n\n${toBlock(readHelp([name, part]))}`);
    const begin = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
    return [`${name}.md`, [`# tenon ${name}\n`, `${begin} ${guides[name] ?? ''}\n`, toBlock(own), ...parts].join('\n')];
  });
  return Object.fromEntries([['index.md', overview], ...pages]);
}

if (process.argv[1] === import.meta.filename) {
  const pages = createPages();
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text);
  console.log(`wrote ${Object.keys(pages).length} pages, of ${readdirSync(folder).length}, to docs/command`);
}

/** @param {string} name */
export const readPage = name => readFileSync(join(folder, name), 'utf8');
