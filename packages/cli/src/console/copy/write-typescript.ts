import { isObject, type JsonObject, toJsonObject } from '@tenon/base';
import { writeLiteral, writeMemberName, writeStringLiteral } from '@tenon/base/writers';
import type { HttpTarget, StdioTarget, Tool } from 'tenon';
import { declareType, TypeNames } from '../../types/declare-type.js';
import type { SecretMarkers } from './secret-markers.js';

/** A call in the words of a client. */
export interface ClientCall {
  readonly target: HttpTarget | StdioTarget;
  readonly version: string | null;
  readonly method: string;
  readonly params: JsonObject;
  readonly tool: Tool | undefined;
}

const INDENT = 2;

/** Writes a call as a module that connects, calls and prints the result. The arguments of a tool have its types. */
export function writeTypescript(call: ClientCall, markers: SecretMarkers): string {
  const { method, params, tool, version } = call;
  const options = version === null ? '' : `, { protocolVersion: ${writeStringLiteral(version)} }`;
  const { statement, result } = writeStatement(method, params);
  const types = method === 'tools/call' && tool ? declareInput(tool) : undefined;
  const args = toJsonObject(params.arguments);
  const code = [
    "import { connect } from 'tenon';",
    ...(types ? ['', types.declarations] : []),
    '',
    ...(method === 'tools/call' ? [`const input${types ? `: ${types.name}` : ''} = ${writeValue(args)};`, ''] : []),
    `const client = await connect(${writeTarget(call.target, markers)}${options});`,
    `const ${result} = await ${statement};`,
    `console.log(${result});`,
    'await client.close();',
    '',
  ].join('\n');
  return markers.replaceLiterals(code, variable => `process.env.${variable} ?? ''`);
}

function writeStatement(method: string, params: JsonObject): { readonly statement: string; readonly result: string } {
  const { name, uri, arguments: args } = params;
  if (method === 'tools/call' && typeof name === 'string')
    return {
      statement: `client.callTool(${writeStringLiteral(name)}, input)`,
      result: '{ content, structuredContent, isError }',
    };
  if (method === 'prompts/get' && typeof name === 'string')
    return {
      statement: `client.getPrompt(${writeStringLiteral(name)}, ${writeValue(args ?? {})})`,
      result: '{ messages }',
    };
  if (method === 'resources/read' && typeof uri === 'string')
    return { statement: `client.readResource(${writeStringLiteral(uri)})`, result: '{ contents }' };
  return { statement: `client.call(${writeStringLiteral(method)}, ${writeValue(params)})`, result: 'result' };
}

function declareInput({ name, inputSchema }: Tool): { readonly name: string; readonly declarations: string } {
  const names = new TypeNames();
  const type = names.create(`${name} input`);
  const declarations = declareType(type, inputSchema, names).map(each => each.replace(/^export /m, ''));
  return { name: type, declarations: declarations.join('\n\n') };
}

/** Headers of the target are those of the user, and may be secrets. */
function writeTarget(target: HttpTarget | StdioTarget, markers: SecretMarkers): string {
  if ('command' in target) {
    const { command, args = [], cwd } = target;
    return writeValue({ command, args: markers.hideArguments(args), ...(cwd === undefined ? {} : { cwd }) });
  }
  const headers = typeof target.headers === 'object' ? Object.keys(target.headers) : [];
  const auth = typeof target.auth === 'string' ? { auth: markers.create('TOKEN') } : {};
  return writeValue({
    url: markers.hideText(String(target.url), 'URL'),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map(name => [name, markers.create(name)])) }),
    ...auth,
  });
}

/** Writes a JSON value as people do: names without quotation marks, and texts in single ones. */
export function writeValue(value: unknown, indent = 0): string {
  if (typeof value === 'string') return writeStringLiteral(value);
  if (Array.isArray(value))
    return writeList(
      '[',
      value.map(each => writeValue(each, indent + INDENT)),
      ']',
      indent,
    );
  if (!isObject(value)) return writeLiteral(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${writeKey(name)}: ${writeValue(each, indent + INDENT)}`,
  );
  return writeList('{', members, '}', indent);
}

function writeKey(name: string): string {
  // In an object literal, this name would set the prototype.
  if (name === '__proto__') return "['__proto__']";
  const written = writeMemberName(name);
  return written.startsWith('"') ? writeStringLiteral(name) : written;
}

function writeList(open: string, parts: readonly string[], close: string, indent: number): string {
  const space = open === '{' && parts.length > 0 ? ' ' : '';
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length + indent <= MAX_LINE && !line.includes('\n')) return line;
  const inner = ' '.repeat(indent + INDENT);
  return `${open}\n${parts.map(part => `${inner}${part},\n`).join('')}${' '.repeat(indent)}${close}`;
}

/** Maximum length of an object or a list on one line. */
const MAX_LINE = 100;
