import { isObject, stringifyJson, stringifyMember, toJsonObject } from '@tenon/base';
import { type Shell, writeShellWord } from '@tenon/base/writers';
import type { HttpTarget, JsonObject, StdioTarget, Tool } from 'tenon';
import type { TargetOptions } from '../../target/target-options.js';
import type { TargetReference } from '../../target/target-reference.js';
import { createUsageError } from '../../usage-error.js';
import type { SecretMarkers } from './secret-markers.js';

/** A call in the words of the command. */
export interface CommandCall {
  readonly reference: TargetReference;
  readonly options: TargetOptions;
  /** The only version to use, if the user has chosen one. */
  readonly version: string | null;
  readonly method: string;
  readonly params: JsonObject;
  readonly tool: Tool | undefined;
}

/** Writes a call as a line of `tenon call`, `tenon prompt` or `tenon read`. */
export function writeCallLine(call: CommandCall, markers: SecretMarkers, shell: Shell): string {
  const { reference, method, params, tool } = call;
  const { server, command } = splitReference(reference, markers);
  const words = ['tenon', ...listSubject(method, params, server, tool), ...listOptions(call, markers), ...command];
  return words.map(word => writeShellWord(markers.split(word), shell)).join(' ');
}

function listSubject(method: string, params: JsonObject, server: readonly string[], tool: Tool | undefined): string[] {
  const { name, uri, arguments: args } = params;
  if (method === 'tools/call' && typeof name === 'string')
    return ['call', ...server, name, ...listArguments(toJsonObject(args), tool)];
  if (method === 'prompts/get' && typeof name === 'string')
    return ['prompt', ...server, name, ...listArguments(toJsonObject(args), undefined, true)];
  if (method === 'resources/read' && typeof uri === 'string') return ['read', ...server, uri];
  throw createUsageError(`${method}: no command sends it`, 'copy it as curl, JSON or TypeScript');
}

/** Lists arguments as words. Names or values that a word cannot express make all of them one JSON text. */
function listArguments(args: JsonObject, tool: Tool | undefined, areTexts = false): string[] {
  const properties = isObject(tool?.inputSchema.properties) ? tool.inputSchema.properties : {};
  const entries = Object.entries(args);
  const isWordName = (name: string) => /^\w[\w.]*$/.test(name);
  if (!areTexts && !entries.every(([name]) => isWordName(name))) return ['--args', stringifyJson(args)];
  return entries.map(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isText = areTexts || (isObject(schema) && schema.type === 'string');
    const isPlain = typeof value === 'string' && isText && !/^["'@]/.test(value);
    return isPlain ? `${name}=${value}` : `${name}:=${stringifyMember(args, name)}`;
  });
}

function listOptions({ options, version }: CommandCall, markers: SecretMarkers): string[] {
  const { config = [], env = {}, pass = [], cwd, header = {}, headerFile, bearerEnv, tokenFile, auth } = options;
  const given = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  // The command itself replaces variables, so that no list of processes shows their values.
  const headers = Object.entries(header).flatMap(([name, value]) => [
    '-H',
    `${name}: ${/\$\{\w+\}/.test(value) ? value : `\${${markers.addVariable(name)}}`}`,
  ]);
  return [
    ...config.flatMap(file => ['--config', file]),
    ...[...pass, ...Object.keys(env)].flatMap(name => ['--pass', name]),
    ...given('--cwd', cwd),
    ...headers,
    ...given('--header-file', headerFile),
    ...given('--bearer-env', bearerEnv),
    ...given('--token-file', tokenFile),
    ...given('--auth', auth),
    ...given('--transport', options.transport),
    ...given('--protocol-version', version ?? options.protocolVersion),
  ];
}

/** Names a target that the user has not named: by its URL or its command, with the options that it needs. */
export function referToTarget(
  target: HttpTarget | StdioTarget,
  given: Pick<TargetOptions, 'protocolVersion'>,
  markers: SecretMarkers,
): Pick<CommandCall, 'reference' | 'options'> {
  const { protocolVersion } = given;
  const common = protocolVersion === undefined ? {} : { protocolVersion };
  if ('command' in target) {
    const { command, args = [], cwd, env = {} } = target;
    const pass = Object.keys(env).filter(name => env[name] !== undefined);
    const options = { ...common, ...(cwd === undefined ? {} : { cwd }), pass };
    return { reference: { kind: 'command', command, args }, options };
  }
  const { url, headers, auth, transport } = target;
  return {
    reference: { kind: 'url', url: new URL(url).href },
    options: {
      ...common,
      ...(typeof headers === 'object' ? { header: { ...headers } } : {}),
      ...(typeof auth === 'string' ? { bearerEnv: markers.addVariable('TOKEN') } : {}),
      ...(transport === undefined ? {} : { transport }),
    },
  };
}

function splitReference(
  reference: TargetReference,
  markers: SecretMarkers,
): { readonly server: readonly string[]; readonly command: readonly string[] } {
  switch (reference.kind) {
    case 'command':
      return { server: [], command: ['--', reference.command, ...markers.hideArguments(reference.args)] };
    case 'url':
      return { server: [markers.hideText(reference.url, 'URL')], command: [] };
    case 'file':
      return {
        server: [reference.exported === undefined ? reference.path : `${reference.path}#${reference.exported}`],
        command: [],
      };
    case 'registry':
      return { server: [`${reference.name}@${reference.version}`], command: [] };
    case 'name':
      return { server: [reference.name], command: [] };
    default:
      return { server: [reference.path], command: [] };
  }
}
