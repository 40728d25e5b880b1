import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { JsonObject, Tool } from 'tenon';
import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { createGeneratedCommands } from './create-commands.js';
import type { GeneratedTarget } from './create-target.js';
import { RUNTIME } from './runtime-text.js';
import { writeCli } from './write-cli.js';

const URL_TARGET = { url: ['https://example.com/mcp'], headers: {} };
const write = (tools: readonly Tool[], name = 'notes', target: GeneratedTarget = URL_TARGET, version = '1.0.0') =>
  writeCli(tools, { name, version, target, libraryVersion: '0.1.0' });
const createTool = (name: string, properties: JsonObject = {}, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: 'object', properties },
  ...more,
});
const listOptions = (properties: JsonObject) => createGeneratedCommands([createTool('run', properties)])[0]?.options;

/** The statements of a program by kind and name, and the value of its commands. */
function parseProgram(text: string) {
  const file = ts.createSourceFile('cli.mjs', text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const { parseDiagnostics } = file as unknown as { parseDiagnostics: readonly unknown[] };
  const declarations = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(each => each.declarationList.declarations);
  const commands = declarations.find(each => each.name.getText() === 'commands')?.initializer?.getText() ?? '';
  return {
    errors: parseDiagnostics.length,
    shape: file.statements.map(each => [each.kind, 'name' in each ? ts.isIdentifier(each.name as ts.Node) : '']),
    commands: JSON.parse(JSON.stringify(runInNewContext(commands))) as unknown,
  };
}

/** Runs the functions of the generated program that convert texts of the command line. */
const program = runInNewContext(`${RUNTIME.replaceAll(/^process\..*$/gm, '')}; ({ convertText, parseJson })`, {
  AbortController,
}) as {
  convertText(name: string, type: string, text: string): unknown;
  parseJson(name: string, text: string): unknown;
};

describe('numbers of the generated program', () => {
  it.each([
    ['42', 42],
    ['42.0', 42],
    ['-7', -7],
    ['1e3', 1000],
    ['9007199254740991', 9007199254740991],
    ['1e23', 1e23],
  ])('takes %s', (text, expected) => {
    expect(program.convertText('n', 'integer', text)).toBe(expected);
    expect(program.parseJson('n', `{"a":"9007199254740993 \\" 1e400","b":[${text}]}`)).toMatchObject({ b: [expected] });
  });

  it.each(['9007199254740993', '-9007199254740993', '9007199254740993.0', '9007199254740993e0', '1e400', '1e-400'])(
    'refuses %s, which would be sent as another number',
    text => {
      expect(() => program.convertText('n', 'number', text)).toThrow(`the integer ${text} cannot be sent exactly`);
      expect(() => program.parseJson('n', `{"a":"\\"","b":[${text}]}`)).toThrow(`${text} cannot be sent exactly`);
    },
  );

  it.each(['0x2a', '0b1', '+1', '01', '.5', '5.', 'Infinity', 'NaN', ''])(
    'refuses %j, which is no number of JSON',
    text => {
      expect(() => program.convertText('n', 'number', text)).toThrow('--n: expected number');
    },
  );

  it('takes a text with millions of escapes', () => {
    const text = JSON.stringify('\\'.repeat(8_000_000));
    expect(program.parseJson('n', text)).toHaveLength(8_000_000);
  });
});

describe('writeCli', () => {
  it('writes types, choices and lists of the schema as options, and JSON for other types [cli.gen-cli]', () => {
    expect(
      listOptions({
        dueDate: { type: ['string', 'null'], description: 'Day\u001b[31m' },
        count: { type: 'integer' },
        size: { enum: ['s', 'm'] },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        done: { type: 'boolean' },
        place: { type: 'object', properties: { x: { type: 'number' } } },
        points: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        json: { type: 'string' },
        'no-x': { type: 'boolean' },
        'due-date': { type: 'string' },
        日: { type: 'string' },
      }),
    ).toEqual([
      { name: 'due-date', property: 'dueDate', type: 'string', description: 'Day' },
      { name: 'count', property: 'count', type: 'integer', description: '' },
      { name: 'size', property: 'size', type: 'string', choices: ['s', 'm'], description: '' },
      { name: 'tags', property: 'tags', type: 'string', list: true, choices: ['a', 'b'], description: '' },
      { name: 'done', property: 'done', type: 'boolean', description: '' },
      { name: 'place', property: 'place', type: 'json', description: '{ x?: number }' },
      { name: 'points', property: 'points', type: 'json', description: 'number[][]' },
      { name: 'either', property: 'either', type: 'json', description: 'string | number' },
      { name: 'arg-json', property: 'json', type: 'string', description: '' },
      { name: 'arg-no-x', property: 'no-x', type: 'boolean', description: '' },
      { name: 'due-date-2', property: 'due-date', type: 'string', description: '' },
      { name: 'arg', property: '日', type: 'string', description: '' },
    ]);
  });

  it('writes the same text for tools in any order, with unique names', () => {
    const tools = [createTool('addNote'), createTool('add_note'), createTool('help'), createTool('§')];
    expect(write(tools.toReversed())).toBe(write(tools));
    expect(createGeneratedCommands(tools).map(({ name }) => name)).toEqual([
      'add-note',
      'add-note-2',
      'tool-help',
      'tool',
    ]);
  });

  it('keeps all texts of a server in string literals', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        "'];process.exit(9);//",
        '*/ process.exit(9) /*',
        '`$' + '{process.exit(9)}`',
        '\u2028process.exit(9)',
        '__proto__',
        '"\\',
      ),
    );
    const reference = parseProgram(write([createTool('a')]));
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (name, property, text, version) => {
        const tools = [
          createTool(name, { [property]: { type: 'string', description: text, enum: [text] } }, { description: text }),
        ];
        const { errors, shape, commands } = parseProgram(write(tools, name, URL_TARGET, version));
        expect({ errors, shape }).toEqual({ errors: 0, shape: reference.shape });
        expect(commands).toEqual(createGeneratedCommands(tools));
        const stdio = parseProgram(
          write(tools, name, {
            command: [text],
            args: [[property, { variable: text }]],
            env: { [name]: [{ variable: name }], [property]: [text] },
          }),
        );
        expect(stdio).toMatchObject({ errors: 0, commands });
      }),
    );
  });
});
