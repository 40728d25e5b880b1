// biome-ignore-all lint/suspicious/noTemplateCurlyInString: hostile texts contain them
import type { JsonObject, Tool } from 'tenon';
import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { writeTypes } from './write-types.js';

const write = (inputSchema: JsonObject, more: Partial<Tool> = {}) =>
  writeTypes(
    { tools: [{ name: 'run', inputSchema: { type: 'object', ...inputSchema }, ...more }], prompts: [], resources: [] },
    { server: 'notes', name: 'notes' },
  );

const RUN_SCHEMA = { type: 'object' as const, properties: { a: { type: 'string' } } };
const OPTIONS = { strict: true, exactOptionalPropertyTypes: true, types: [], lib: ['lib.es2022.d.ts'] };
const library = new Map<string, ts.SourceFile | undefined>();

/** The values that cannot be assigned to the type `RunInput`, and errors of the types themselves. */
function findErrors(types: string, values: readonly string[]): string[] {
  const text = [types, ...values.map((value, index) => `export const value${index}: RunInput = ${value};`)].join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (name === 'types.ts') return ts.createSourceFile(name, text, ts.ScriptTarget.ES2022);
    if (!library.has(name)) library.set(name, getSourceFile(name, ...rest));
    return library.get(name);
  };
  const program = ts.createProgram(['types.ts'], OPTIONS, host);
  const file = program.getSourceFile('types.ts');
  const errors = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  const lines = errors.map(({ start = 0 }) => text.slice(0, start).split('\n').length - types.split('\n').length - 1);
  return [...new Set(lines)].map(line => values[line] ?? `line ${line} of the types`);
}

describe('writeTypes', () => {
  it('writes one of several definitions with the same name', () => {
    const tools = ['First.', 'Last.'].map(description => ({ name: 'run', description, inputSchema: RUN_SCHEMA }));
    const resources = ['a', 'b'].map(name => ({ uri: 'note://1', name }));
    const types = writeTypes({ tools, prompts: [], resources }, { server: 'notes', name: 'notes' });
    expect(findErrors(types, ['{}'])).toEqual([]);
    expect(types).toContain('Last.');
  });

  it('writes members, comments and defaults', () => {
    const properties = {
      title: { type: 'string', description: 'Title of the note' },
      'due date': { type: ['string', 'null'], default: null },
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
    };
    expect(
      write({ properties, required: ['title'] }, { description: 'Runs it.' }),
    ).toBe(`// Written by \`tenon types\`. Changes are lost when it runs again.

/** Types of the server "notes", for \`connect<NotesTypes>(…)\`. */
export interface NotesTypes {
  readonly types?: {
    readonly tools: {
      /** Runs it. */
      readonly "run": { readonly types?: { readonly input: RunInput; readonly output: unknown } };
    };
    readonly prompts: {};
    readonly resources: {};
  };
}

export interface RunInput {
  /** Title of the note */
  readonly title: string;
  /**
   * @default null
   */
  readonly "due date"?: string | null | undefined;
  readonly tags?: readonly ("a" | "b")[] | undefined;
}
`);
  });

  it.each<[string, JsonObject, string[], string[]]>([
    [
      'a union',
      { properties: { a: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
      ['{ a: "x" }', '{ a: 1 }', '{}'],
      ['{ a: true }'],
    ],
    [
      'a discriminated union',
      {
        oneOf: [
          { properties: { kind: { const: 'a' }, size: { type: 'number' } }, required: ['kind', 'size'] },
          { properties: { kind: { const: 'b' } }, required: ['kind'] },
        ],
      },
      ['{ kind: "a", size: 1 }', '{ kind: "b" }'],
      ['{ kind: "a" }', '{ kind: "c" }'],
    ],
    [
      'a recursive definition',
      {
        properties: { root: { $ref: '#/$defs/node' } },
        required: ['root'],
        $defs: {
          node: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              first: { $ref: '#/$defs/node' },
              children: { type: 'array', items: { $ref: '#/$defs/node' } },
            },
            required: ['name'],
          },
        },
      },
      ['{ root: { name: "a", children: [{ name: "b", children: [] }] } }'],
      ['{ root: { name: "a", children: [{}] } }', '{ root: { name: "a", first: {} } }', '{}'],
    ],
    [
      'a reference to the whole schema',
      { properties: { next: { $ref: '#' }, value: { type: 'number' } }, required: ['value'] },
      ['{ value: 1, next: { value: 2 } }'],
      ['{ value: 1, next: {} }'],
    ],
    [
      'a tuple and a list of unions',
      {
        properties: {
          point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false },
          list: { type: 'array', items: { type: ['string', 'number'] } },
        },
      },
      ['{ point: [1, "a"], list: ["a", 1] }'],
      ['{ point: [1] }', '{ point: [1, "a", 2] }', '{ list: [true] }'],
    ],
    [
      'other members',
      { properties: { a: { type: 'string' } }, additionalProperties: true },
      ['{ a: "x", b: 1 }'],
      ['{ a: 1 }'],
    ],
    [
      'a map',
      { properties: { map: { type: 'object', additionalProperties: { type: 'number' } } } },
      ['{ map: { a: 1 } }'],
      ['{ map: { a: "x" } }'],
    ],
    [
      'an intersection',
      {
        allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'number' } } }],
      },
      ['{ a: "x", b: 1 }'],
      ['{ b: 1 }'],
    ],
    ['no value', { properties: { a: false, b: {} } }, ['{ b: 1 }'], ['{ a: 1 }']],
    [
      'what it does not know',
      { properties: { a: {}, b: { $ref: 'https://example.com/other' } } },
      ['{ a: 1, b: "x" }'],
      [],
    ],
  ])('writes a type for %s', (_, schema, right, wrong) => {
    expect(findErrors(write(schema), [...right, ...wrong])).toEqual(wrong);
  });

  it('escapes texts of the server, which end no comment and no string', () => {
    const text = '*/ export const pwned = 1; /*\u0007\u2028"`$';
    const types = write(
      { properties: { [text]: { type: 'string', description: text, default: text } } },
      { name: text, description: text },
    );
    expect(findErrors(types.replaceAll(/\w+Input\b/g, 'RunInput'), ['{}'])).toEqual([]);
    expect(types).not.toContain('\u0007');
    const file = ts.createSourceFile('types.ts', types, ts.ScriptTarget.ES2022);
    expect(file.statements.every(ts.isInterfaceDeclaration)).toBe(true);
  });

  it('writes only declarations and the function that connects, whatever the name of the server', () => {
    for (const server of ['*/ export const pwned = 1; /*', 'a\u2028*/ pwned() /*', '@ts-expect-error', '"`${pwned()}'])
      for (const url of [undefined, 'https://example.com/mcp']) {
        const text = writeTypes({ tools: [], prompts: [], resources: [] }, { server, name: server, url });
        const file = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ES2022);
        const kinds = file.statements.map(each => ts.SyntaxKind[each.kind]);
        const [types, client] = [
          ['InterfaceDeclaration'],
          ['ImportDeclaration', 'InterfaceDeclaration', 'FunctionDeclaration'],
        ];
        expect(kinds).toEqual(url === undefined ? types : client);
        expect(text).not.toMatch(/[\u2028]|^\W*@ts-/m);
      }
  });

  it('writes the same text for the same definitions in another order, and a name once', () => {
    const tool = (name: string): Tool => ({
      name,
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    });
    const options = { server: 'x', name: 'x' };
    const [one, other] = [
      [tool('get-note'), tool('get_note'), tool('1st')],
      [tool('1st'), tool('get_note'), tool('get-note')],
    ].map(tools => writeTypes({ tools, prompts: [], resources: [] }, options));
    expect(one).toBe(other);
    expect(one).toContain('export interface GetNoteInput2');
    expect(one).toContain('export interface Type1stInput');
  });
});
