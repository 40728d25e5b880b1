import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsoncFormat } from './jsonc-format.js';
import { tomlFormat } from './toml-format.js';
import { yamlFormat } from './yaml-format.js';

const entry = { command: 'npx', args: ['-y', 'a"\u007f\n'], env: { 'A.B': '\\' } };
const name = fc.constantFrom('new', 'a b', 'a.b', 'é', '"q"', '123', 'true');
const eol = fc.constantFrom('\n', '\r\n');
/** Numbers of small parts of a text. */
const choice = fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 });

describe('the JSONC format', () => {
  /** Writes an object with members in lines of their own or in one, with comments and trailing commas. */
  const config = fc.tuple(choice, eol).map(([seeds, lineEnd]) => {
    let at = 0;
    const pick = (...texts: string[]) => texts[(seeds[at++ % seeds.length] ?? 0) % texts.length] ?? '';
    const pad = pick('', '  ', '\t');
    const count = (seeds[0] ?? 0) % 4;
    const lines = Array.from({ length: count }, (_, index) => {
      const comma = index < count - 1 ? ',' : pick('', ',', ' ,');
      const above = pick('', `${pad}${pad}// above${lineEnd}`, `${pad}${pad}/* a${lineEnd} b */${lineEnd}`);
      return `${above}${pad}${pad}"s${index}": ${pick('1', '{ "a": [1] }', '"// no"')}${comma}${pick('', ' // own', ' /* own */')}${lineEnd}`;
    });
    const inside = count === 0 ? '' : `${lineEnd}${lines.join('')}${pick('', `${pad}// end${lineEnd}`)}${pad}`;
    return `${pick('', '// head\n')}{${lineEnd}${pad}"x": 1, // one${lineEnd}${pad}"servers": {${inside}}${pick('', ',')}${lineEnd}}${pick('', lineEnd)}`;
  });

  it('restores the text after a member is added and removed [cli.remove]', () => {
    fc.assert(
      fc.property(config, name, (text, key) => {
        const added = jsoncFormat.setMember(text, ['servers'], key, entry);
        expect(jsoncFormat.parse(added)).toMatchObject({ servers: { [key]: entry } });
        expect(jsoncFormat.removeMember(added, ['servers'], key)).toBe(text);
      }),
    );
  });

  it('keeps all comments when any member is removed', () => {
    const text =
      '{\n  "servers": {\n    // a\n    "s": 1, // b\n    "t": { "u": 2 }, /* c */\n    // d\n    "v": 3 // e\n  }\n}\n';
    expect(jsoncFormat.removeMember(text, ['servers'], 't')).toBe(
      '{\n  "servers": {\n    // a\n    "s": 1, // b\n    // d\n    "v": 3 // e\n  }\n}\n',
    );
    expect(jsoncFormat.removeMember(text, ['servers'], 'v')).toBe(
      '{\n  "servers": {\n    // a\n    "s": 1, // b\n    "t": { "u": 2 } /* c */\n    // d\n  }\n}\n',
    );
    expect(jsoncFormat.removeMember('{ "servers": { "a": 1, "b": 2 } }', ['servers'], 'a')).toBe(
      '{ "servers": { "b": 2 } }',
    );
  });

  it('creates missing members', () => {
    expect(jsoncFormat.setMember('', ['a', 'b'], 'c', 1)).toBe(
      '{\n  "a": {\n    "b": {\n      "c": 1\n    }\n  }\n}\n',
    );
    expect(jsoncFormat.setMember('{"x":1}', ['a'], 'c', {})).toBe('{"x":1, "a": { "c": {} }}');
    expect(jsoncFormat.setMember('{"a":{"c":1}}', ['a'], 'c', 2)).toBe('{"a":{"c":2}}');
  });

  it.each([
    ['{"servers": }', 'value expected', 1, 13],
    ['{\n  "servers": {\n}', 'close brace expected', 3, 2],
    ['{"servers": 1}', '"servers" is not an object', 1, 13],
    ['{"servers": {"n": 1, "n": 2}}', 'the key "n" occurs twice', 1, 22],
    ['[1]', 'the file does not contain an object', 1, 1],
  ])('refuses %j with a position', (text, message, line, column) => {
    expect(() => jsoncFormat.setMember(text, ['servers'], 'n', 1)).toThrow(
      expect.objectContaining({ message, position: { line, column } }),
    );
  });

  it('restores the text after an item is added to a list and removed', () => {
    for (const text of [
      '{ "inputs": [] }',
      '{\n  "inputs": [\n    { "id": "a" } // own\n  ]\n}\n',
      '{"inputs": [1, 2]}',
      '{"inputs": [1,]}',
    ]) {
      const added = jsoncFormat.appendItem?.(text, ['inputs'], { id: 'n' }) ?? '';
      expect(jsoncFormat.parse(added)).toMatchObject({ inputs: expect.arrayContaining([{ id: 'n' }]) });
      const { inputs } = jsoncFormat.parse(added) as { inputs: unknown[] };
      expect(jsoncFormat.removeItem?.(added, ['inputs'], inputs.length - 1)).toBe(text);
    }
    expect(jsoncFormat.appendItem?.('{}', ['inputs'], 1)).toBe('{\n  "inputs": [\n    1\n  ]\n}');
    expect(() => jsoncFormat.appendItem?.('{"inputs": 1}', ['inputs'], 1)).toThrow('"inputs" is not a list');
  });

  it('ignores brackets in strings and comments', () => {
    const text = `{ "history": "${'{['.repeat(500)}\\"", /* ${'{'.repeat(500)} */ "a": 1 } // ${'['.repeat(500)}`;
    expect(jsoncFormat.parse(text)).toMatchObject({ a: 1 });
  });

  it('refuses a file with too many levels', () => {
    expect(() => jsoncFormat.parse('['.repeat(100_000))).toThrow('more than 200 levels');
  });
});

describe('the TOML format', () => {
  const part = fc.constantFrom(
    'model = "x" # m',
    '# alone',
    '',
    '[mcp_servers.a]\ncommand = "x" # c',
    '[mcp_servers.b.env]\nA = "1"',
    '[mcp_servers.a-b]\nargs = [\n  "x", # one\n]',
    '[tui]\ntheme = """\na\n\n"""',
    '[[list]]\nx = 1979-05-27T07:32:00Z',
  );
  const config = fc
    .tuple(fc.uniqueArray(part, { maxLength: 6 }), eol, fc.boolean())
    .map(([parts, lineEnd, hasEnd]) => {
      const sorted = [...parts].sort((a, b) => Number(a.startsWith('[')) - Number(b.startsWith('[')));
      return (sorted.join('\n') + (hasEnd ? '\n' : '')).replaceAll('\n', lineEnd);
    })
    .filter(text => text === '' || text.trim() !== '');

  it('restores the text after a table is added and removed [cli.remove]', () => {
    fc.assert(
      fc.property(config, name, (text, key) => {
        const added = tomlFormat.setMember(text, ['mcp_servers'], key, entry);
        expect(added.startsWith(text.trimEnd())).toBe(true);
        expect(tomlFormat.parse(added)).toMatchObject({ mcp_servers: { [key]: entry } });
        expect(tomlFormat.removeMember(added, ['mcp_servers'], key)).toBe(text);
      }),
    );
  });

  it.each(['\n', '\r\n'])('leaves no empty line at the start when it removes the first table: %j', end => {
    const text = ['[mcp_servers.s]', 'command = "x"', '', '[t]', 'a = 1', ''].join(end);
    expect(tomlFormat.removeMember(text, ['mcp_servers'], 's')).toBe(['[t]', 'a = 1', ''].join(end));
  });

  it('replaces and removes a server in all its forms', () => {
    const text = 'a = 1\n[mcp_servers.s]\ncommand = "x"\n\n[mcp_servers.s.env]\nA = "1"\n\n# t\n[t]\n';
    expect(tomlFormat.removeMember(text, ['mcp_servers'], 's')).toBe('a = 1\n\n# t\n[t]\n');
    expect(tomlFormat.setMember(text, ['mcp_servers'], 's', { command: 'y' })).toBe(
      'a = 1\n[mcp_servers.s]\ncommand = "y"\n\n# t\n[t]\n',
    );
    const inline = '[mcp_servers]\ns = { command = "x" }\nt.command = "y"\n';
    expect(tomlFormat.removeMember(inline, ['mcp_servers'], 's')).toBe('[mcp_servers]\nt.command = "y"\n');
    expect(tomlFormat.parse('[env]\nA = 9007199254740993\nB = 8080\n')).toEqual({
      env: { A: '9007199254740993', B: 8080 },
    });
    expect(yamlFormat.parse('env:\n  A: 9007199254740993\n  B: 8080\n')).toEqual({
      env: { A: '9007199254740993', B: 8080 },
    });
    expect(tomlFormat.removeMember(inline, ['mcp_servers'], 't')).toBe('[mcp_servers]\ns = { command = "x" }\n');
  });

  it('refuses a file that does not parse, and servers in an inline table, with a position', () => {
    expect(() => tomlFormat.parse('a = 1\nb = = 2\n')).toThrow(
      expect.objectContaining({ position: { line: 2, column: expect.any(Number) } }),
    );
    expect(() => tomlFormat.setMember('mcp_servers = { a = {} }\n', ['mcp_servers'], 'n', entry)).toThrow(
      'mcp_servers is an inline table: write its servers as [mcp_servers.n]',
    );
  });
});

describe('the YAML format', () => {
  const child = fc.constantFrom(
    'a:\n  cmd: x # c\n  args: [1,\n    2]',
    'b:\n  text: |\n    one\n\n    two',
    "'c d': {cmd: x}",
    'e:\n    # own\n    cmd: "y"\n    envs: {}',
    'f:',
  );
  const config = fc
    .tuple(
      fc.uniqueArray(child, { maxLength: 4 }),
      eol,
      fc.constantFrom('  ', '    '),
      fc.constantFrom('', '# end\nz:   [1,   2]\n'),
    )
    .map(([children, lineEnd, indent, tail]) => {
      const block = children.map(each => each.replace(/^(?=.)/gm, indent)).join('\n');
      const section = children.length === 0 ? 'extensions: {}' : `extensions: # s\n${block}`;
      return `# head\nmodel:   'x'\n${section}\n${tail}`.replaceAll('\n', lineEnd);
    });

  it('restores the text after a member is added and removed [cli.remove]', () => {
    fc.assert(
      fc.property(config, name, (text, key) => {
        const added = yamlFormat.setMember(text, ['extensions'], key, entry);
        expect(yamlFormat.parse(added)).toMatchObject({ extensions: { [key]: entry } });
        expect(yamlFormat.removeMember(added, ['extensions'], key)).toBe(text);
      }),
    );
  });

  it('restores the text after an item is added and removed', () => {
    const text = 'mcpServers:\n- name: a # c\n  args:\n  - x\n# end\n';
    const added = yamlFormat.appendItem?.(text, ['mcpServers'], { name: 'n' }) ?? '';
    expect(added).toBe('mcpServers:\n- name: a # c\n  args:\n  - x\n- name: n\n# end\n');
    expect(yamlFormat.removeItem?.(added, ['mcpServers'], 1)).toBe(text);
    expect(yamlFormat.removeItem?.('a: 1\nmcpServers:\n  - name: n\n', ['mcpServers'], 0)).toBe(
      'a: 1\nmcpServers: []\n',
    );
  });

  it.each([
    ['a: [\n', 2],
    ['extensions: { a: {} }\n', 1],
    ['extensions: [1]\n', 1],
    ['a: 1\na: 2\n', 2],
    ['- a\n', 1],
    ['---\na: 1\n---\nb: 1\n', 3],
  ])('refuses %j with a position', (text, line) => {
    expect(() => yamlFormat.setMember(text, ['extensions'], 'n', entry)).toThrow(
      expect.objectContaining({
        name: 'ConfigTextError',
        // Advice of the parser is for programs that use it.
        message: expect.not.stringContaining('YAML.'),
        position: { line, column: expect.any(Number) },
      }),
    );
  });
});
