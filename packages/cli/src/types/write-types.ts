import { writeBlockComment, writeCommentLines, writeJson } from '@tenon/base/writers';
import type { JsonObject, Prompt, Resource, Tool } from 'tenon';
import { declareType, TypeNames } from './declare-type.js';
import { formatComment } from './format-comment.js';

/** Definitions of a server whose types are written. */
export interface TypedDefinitions {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
}

export interface WriteTypesOptions {
  /** Name of the server, as it is shown. */
  readonly server: string;
  /** Base of the names of the exports. */
  readonly name: string;
  /** Also writes a function that connects to this URL. */
  readonly url?: string | undefined;
}

/** Writes the types of a server as the text of a TypeScript module. Equal definitions in any order give the same text. */
export function writeTypes(definitions: TypedDefinitions, { server, name, url }: WriteTypesOptions): string {
  const names = new TypeNames();
  const base = names.create(name);
  const typesName = names.create(`${name} types`);
  const declarations: string[] = [];
  const declare = (text: string, schema: JsonObject): string => {
    const type = names.create(text);
    declarations.push(...declareType(type, schema, names));
    return type;
  };
  const tools = sort(definitions.tools, each => each.name).map(({ name, description, inputSchema, outputSchema }) => {
    const input = hasMembers(inputSchema) ? declare(`${name} input`, inputSchema) : 'undefined';
    const output = outputSchema ? declare(`${name} output`, outputSchema) : 'unknown';
    return formatEntry(name, description, `readonly input: ${input}; readonly output: ${output}`);
  });
  const prompts = sort(definitions.prompts, each => each.name).map(({ name, description, arguments: given = [] }) => {
    const input = given.length > 0 ? declare(`${name} arguments`, toSchema(given)) : 'undefined';
    return formatEntry(name, description, `readonly input: ${input}`);
  });
  const resources = sort(definitions.resources, each => each.uri).map(
    ({ uri, name, description }) =>
      `${formatComment({ description: description ?? name }, '      ')}      readonly ${writeJson(uri)}: unknown;`,
  );
  const body = [
    `${formatTitle(server, typesName)}export interface ${typesName} {`,
    '  readonly types?: {',
    ...formatGroup('tools', tools),
    ...formatGroup('prompts', prompts),
    ...formatGroup('resources', resources),
    '  };',
    '}',
  ].join('\n');
  const client = url === undefined ? [] : [formatConnect(base, typesName, url)];
  const imports = url === undefined ? [] : ["import { type Client, type ClientOptions, connect } from 'tenon';"];
  return `${['// Written by `tenon types`. Changes are lost when it runs again.', ...imports].join('\n')}\n\n${[
    body,
    ...client,
    ...declarations,
  ].join('\n\n')}\n`;
}

const formatTitle = (server: string, typesName: string): string =>
  writeBlockComment(
    writeCommentLines(`Types of the server ${writeJson(server)}, for \`connect<${typesName}>(…)\`.`),
    '',
  );

/** Sorts definitions by their names. Of those with the same name, which a client cannot tell apart, the last one is kept. */
function sort<T>(list: readonly T[], key: (each: T) => string): T[] {
  return [...new Map(list.map(each => [key(each), each])).values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

const hasMembers = ({ properties, required, $ref, anyOf, oneOf, allOf, additionalProperties }: JsonObject): boolean =>
  Object.keys(Object(properties)).length > 0 ||
  [required, $ref, anyOf, oneOf, allOf].some(each => each !== undefined) ||
  typeof additionalProperties === 'object';

/** Arguments of prompts are texts. */
function toSchema(parameters: NonNullable<Prompt['arguments']>): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description }) => [name, { type: 'string', ...(description ? { description } : {}) }]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

const formatEntry = (name: string, description: string | undefined, types: string): string =>
  `${formatComment({ description }, '      ')}      readonly ${writeJson(name)}: { readonly types?: { ${types} } };`;

const formatGroup = (name: string, entries: readonly string[]): string[] =>
  entries.length === 0 ? [`    readonly ${name}: {};`] : [`    readonly ${name}: {`, ...entries, '    };'];

const formatConnect = (base: string, typesName: string, url: string): string =>
  [
    '/** Connects to the server. */',
    `export function connect${base}(options?: ClientOptions): Promise<Client<${typesName}>> {`,
    `  return connect<${typesName}>(${writeJson(url)}, options);`,
    '}',
  ].join('\n');
