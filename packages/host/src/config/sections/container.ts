import { quoteName } from '../config-finding.js';
import { type EntryParser, readFlag, readResolvedList, readResolvedText, reportWrongKind } from '../entry-parser.js';
import { type ReadEnvFile, readEnv } from '../env-file.js';
import type { JsonNode } from '../json-node.js';
import { isLoaderVariable } from '../loader-variables.js';
import { resolvePath } from '../paths.js';
import type { CommandTarget } from '../server-entry.js';

/** Programs that run containers, by the key of an entry that uses them. */
export const CONTAINER_ENGINES: readonly string[] = ['docker', 'podman'];

const KEYS: readonly string[] = [
  ...['image', 'args', 'env', 'volumes', 'tmpfs', 'network', 'memory', 'cpus', 'pids'],
  ...['user', 'workdir', 'entrypoint', 'readOnly', 'platform', 'pull'],
];

/** Limits of a container whose entry sets none. */
const DEFAULTS = { network: 'none', memory: '512m', cpus: '1', pids: '256' } as const;
/** Folder for temporary files, because the other files of the container cannot be changed. */
const TEMPORARY_FOLDER = '/tmp:rw,noexec,nosuid,size=64m';

interface TextRule {
  readonly pattern: RegExp;
  readonly expected: string;
}

const RULES: Readonly<Record<string, TextRule>> = {
  image: { pattern: /^[a-z0-9][\w./:@-]{0,499}$/i, expected: 'the name of an image, as in ghcr.io/example/notes:1.2' },
  network: {
    pattern: /^(?!host$)[A-Za-z0-9][\w.-]{0,127}$/,
    expected:
      'none, bridge, or the name of a network. A container of the short form never shares the network of the host',
  },
  memory: { pattern: /^[1-9]\d{0,12}[bkmg]?$/i, expected: 'a size such as 512m' },
  cpus: { pattern: /^(?:[1-9]\d{0,3}(?:\.\d{1,3})?|0\.\d{1,3})$/, expected: 'a number of processors such as 1 or 0.5' },
  pids: { pattern: /^[1-9]\d{0,6}$/, expected: 'a number of processes' },
  user: { pattern: /^\w[\w.-]{0,63}(?::\w[\w.-]{0,63})?$/, expected: 'a user, or user:group' },
  workdir: { pattern: /^\/[^\p{Cc}]{0,1000}$/u, expected: 'an absolute path in the container' },
  entrypoint: { pattern: /^[^-\s\p{Cc}][^\p{Cc}]{0,1000}$/u, expected: 'a program of the image' },
  platform: { pattern: /^[a-z0-9][\w./-]{0,63}$/, expected: 'a platform such as linux/amd64' },
  pull: { pattern: /^(?:always|missing|never)$/, expected: 'always, missing or never' },
  tmpfs: { pattern: /^\/[^\p{Cc}:,]{0,1000}$/u, expected: 'absolute paths in the container' },
  'mount.source': {
    pattern: /^[^-\p{Cc},"][^\p{Cc},"]{0,1000}$/u,
    expected: 'a folder of this machine or a volume, without a comma, and no socket of a container engine',
  },
  'mount.target': { pattern: /^\/[^\p{Cc},"]{0,1000}$/u, expected: 'an absolute path in the container' },
};

const ENGINE_SOCKET = /(?:docker|podman|containerd|crio)\.sock|docker_engine/i;

/** Value of an option, with its text before its variables were resolved. */
interface Resolved {
  readonly text: string;
  readonly written: string;
}

/**
 * Reads a server that runs in a container, and returns its command. Its container has no privileges, no network, files
 * that it cannot change, and limits of memory, processors and processes, unless the entry says otherwise.
 */
export async function readContainer(
  parser: EntryParser,
  engine: string,
  spot: JsonNode,
  readEnvFile: ReadEnvFile | undefined,
): Promise<CommandTarget | undefined> {
  if (spot.kind !== 'object') return reportWrongKind(parser, spot, 'an object with `image`');
  for (const [name, at] of spot.members)
    if (!KEYS.includes(name))
      return parser.reportError('config/shape', at, `unknown key ${quoteName(`${engine}.${name}`)}`, {
        expected: KEYS.join(', '),
        hint: `write other options as a command: "command": "${engine}", "args": ["run", …]`,
      });
  for (const name of ['command', 'url', 'serverUrl', 'httpUrl', 'args', 'cwd', 'headers'])
    if (parser.members.has(name))
      return parser.reportError('config/target', spot, `\`${engine}\` and \`${name}\` exclude each other`, {
        hint: name === 'args' ? `move \`args\` into \`${engine}\`` : 'remove one of them',
      });
  const readText = async (name: string): Promise<Resolved | undefined> => {
    const at = spot.members.get(name);
    return at && readChecked(parser, `${engine}.${name}`, at, RULES[name]);
  };
  if (!spot.members.has('image')) return reportWrongKind(parser, spot, 'an object with `image`');
  const image = await readText('image');
  const isReadOnly = readFlag({ ...parser, members: spot.members }, 'readOnly') ?? true;
  const options = new ArgumentList(parser);
  options.add('run', '--rm', '--interactive', '--init');
  options.add('--security-opt', 'no-new-privileges', '--cap-drop', 'ALL');
  if (isReadOnly) options.add('--read-only', '--tmpfs', TEMPORARY_FOLDER);
  for (const [name, option] of Object.entries({
    network: '--network',
    memory: '--memory',
    cpus: '--cpus',
    pids: '--pids-limit',
  } as const)) {
    const value = (await readText(name)) ?? toResolved(DEFAULTS[name as keyof typeof DEFAULTS]);
    options.add(option, value);
  }
  for (const name of ['user', 'workdir', 'entrypoint', 'platform', 'pull']) {
    const value = await readText(name);
    if (value) options.add(`--${name}`, value);
  }
  for (const at of readItems(parser, spot, 'tmpfs')) {
    const value = await readChecked(parser, `${engine}.tmpfs`, at, RULES.tmpfs);
    if (value) options.add('--tmpfs', value);
  }
  for (const at of readItems(parser, spot, 'volumes')) {
    const mount = await readMount(parser, `${engine}.volumes`, at);
    if (mount) options.add('--mount', mount);
  }
  const env = await readContainerEnv(parser, engine, spot, readEnvFile, options);
  const argsSpot = spot.members.get('args');
  const args = argsSpot ? await readResolvedList(parser, `${engine}.args`, argsSpot) : [];
  if (!image || !args) return undefined;
  options.add(image);
  for (const [at, text] of args.entries())
    options.add({ text, written: parser.written[`${engine}.args[${at}]`] ?? text });
  return { command: engine, args: options.finish(), env, container: `tenon-${toSlug(parser.name)}` };
}

/** Collects arguments with the texts before their variables were resolved. */
class ArgumentList {
  readonly #parser: EntryParser;
  readonly #args: Resolved[] = [];

  constructor(parser: EntryParser) {
    this.#parser = parser;
  }

  add(...args: (string | Resolved)[]): void {
    this.#args.push(...args.map(each => (typeof each === 'string' ? toResolved(each) : each)));
  }

  finish(): string[] {
    for (const [at, { text, written }] of this.#args.entries())
      if (text !== written) this.#parser.written[`args[${at}]`] = written;
    return this.#args.map(({ text }) => text);
  }
}

const toResolved = (text: string): Resolved => ({ text, written: text });

function readItems(parser: EntryParser, { members }: JsonNode, name: string): readonly JsonNode[] {
  const spot = members.get(name);
  if (spot === undefined) return [];
  if (spot.kind !== 'array') reportWrongKind(parser, spot, 'an array of strings');
  return spot.items;
}

async function readChecked(
  parser: EntryParser,
  key: string,
  spot: JsonNode,
  rule: TextRule | undefined,
): Promise<Resolved | undefined> {
  const text = await readResolvedText(parser, key, spot);
  if (text === undefined) return undefined;
  const value = { text, written: parser.written[key] ?? text };
  if (rule === undefined || isUnresolved(parser, text) || rule.pattern.test(text)) return value;
  return parser.reportError('config/container', spot, 'invalid option of a container', { expected: rule.expected });
}

/** Tells if a text still contains variables, because entries are copied. */
const isUnresolved = ({ resolve }: EntryParser, text: string): boolean => resolve === undefined && text.includes('${');

/** Reads `SOURCE:TARGET`, `SOURCE:TARGET:ro` or `SOURCE:TARGET:rw`. The container can change only the last one. */
async function readMount(parser: EntryParser, key: string, spot: JsonNode): Promise<Resolved | undefined> {
  const value = await readChecked(parser, key, spot, undefined);
  if (!value) return undefined;
  const mount = toMount(parser, value.text);
  if (typeof mount === 'string') return { text: mount, written: mount };
  return parser.reportError('config/container', spot, 'invalid volume of a container', mount);
}

function toMount(parser: EntryParser, text: string): string | { readonly expected: string } {
  const [, source = '', target = '', mode = 'ro'] =
    /^((?:[A-Za-z]:[\\/])?(?:\$\{[^}]*\}|[^:])+):([^:]+)(?::(ro|rw))?$/s.exec(text) ?? [];
  if (source === '') return { expected: '"SOURCE:TARGET", "SOURCE:TARGET:ro" or "SOURCE:TARGET:rw"' };
  for (const [name, part] of [
    ['mount.source', source],
    ['mount.target', target],
  ] as const) {
    const rule = RULES[name];
    if (rule && !isUnresolved(parser, part) && (!rule.pattern.test(part) || ENGINE_SOCKET.test(part)))
      return { expected: rule.expected };
  }
  const isPath = /[\\/]|^[.~]|^\$\{/.test(source);
  const folder = isPath && !isUnresolved(parser, source) ? resolveFolder(parser, source) : source;
  const access = mode === 'rw' ? '' : ',readonly';
  return `type=${isPath ? 'bind' : 'volume'},source=${folder},target=${target}${access}`;
}

const resolveFolder = ({ home, workspace }: EntryParser, source: string): string =>
  home !== undefined && /^~(?:[\\/]|$)/.test(source)
    ? resolvePath(home, source.slice(2))
    : resolvePath(workspace, source);

/**
 * Reads the variables of the container. The program of the engine passes them on by their names, so that their values are
 * not in its arguments. Variables that would change the engine itself are arguments.
 */
async function readContainerEnv(
  parser: EntryParser,
  engine: string,
  spot: JsonNode,
  readEnvFile: ReadEnvFile | undefined,
  options: ArgumentList,
): Promise<Record<string, string>> {
  const own = spot.members.get('env');
  const outer = parser.members.get('env');
  if (own && outer)
    parser.reportError('config/target', own, `\`env\` and \`${engine}.env\` exclude each other`, {
      hint: 'move all variables into one of them',
    });
  const members = new Map(parser.members);
  if (own) members.set('env', own);
  const env = (await readEnv({ ...parser, members }, readEnvFile)) ?? {};
  const templated = Object.keys(parser.templates).flatMap(key => (key.startsWith('env.') ? [key.slice(4)] : []));
  const written = [...(members.get('env')?.members.keys() ?? [])];
  const names = [...Object.keys(env), ...templated].sort((a, b) => written.indexOf(a) - written.indexOf(b));
  for (const name of names) {
    if (!/^[A-Za-z_]\w{0,254}$/.test(name))
      parser.reportError('config/container', own ?? outer ?? spot, `invalid variable name ${quoteName(name)}`, {
        expected: 'letters, digits and _',
      });
    const value = env[name];
    if (value !== undefined && isLoaderVariable(name))
      options.add('--env', { text: `${name}=${value}`, written: `${name}=${parser.written[`env.${name}`] ?? value}` });
    else options.add('--env', name);
  }
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLoaderVariable(name)));
}

/** Returns a name as the engines accept it. */
const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .slice(0, 40) || 'server';
