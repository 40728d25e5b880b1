import { describe, expect, it } from 'vitest';
import { lintPolicy } from './lint-policy.js';
import { createPolicy } from './policy.js';
import { allow, ask, deny, type Rule } from './rules.js';

const listKinds = (...rules: Rule[]) => lintPolicy({ rules }).map(({ kind }) => kind);

describe('lintPolicy for a rule that covers less than it seems', () => {
  it.each<[string, Rule[], string]>([
    [
      'one kind of a server denied',
      [deny({ server: 'db', tool: '*' })],
      'rule 1 (deny) matches tools only, and not the prompts and resources of db. Remove "tool" to match all of them',
    ],
    [
      'one kind asked about',
      [ask({ resource: '*' })],
      'rule 1 (ask) matches resources only, and not the tools and prompts. Remove "resource" to match all of them',
    ],
    [
      'arguments that an allow does not name',
      [allow('fs/read', { arguments: { path: { under: '/work' } } })],
      'rule 1 (allow) checks path and accepts any other argument. Add "only": ["path"] if these are all arguments',
    ],
    [
      'a deny that another argument passes',
      [deny('fs/read', { only: ['path'] })],
      'rule 1 (deny) does not match a call with another argument. Use "only" in allow rules alone',
    ],
    [
      'a path as a text',
      [deny({ arguments: { path: '/etc/*' } })],
      'rule 1 (deny) compares the argument path with the text "/etc/*", which relative paths and links bypass. Write { "under": … } for a folder',
    ],
    [
      'a listed path',
      [ask({ arguments: { path: { in: ['C:\\\\keys'] } } })],
      'compares the argument path with the text "C:\\\\keys"',
    ],
    [
      'a file URI as a text',
      [deny({ resource: 'file:///etc/*' })],
      'compares the resource with the text "file:///etc/*"',
    ],
    ['a fragment', [deny({ resource: 'https://h/a#keys' })], 'matches "https://h/a#keys" with this fragment only'],
    [
      'unknown callers',
      [deny({ server: 'bank', principal: '*' })],
      'rule 1 (deny) matches every known principal, but no anonymous caller',
    ],
    [
      'an allow before a deny that it covers',
      [allow('files/*'), deny('files/delete_*')],
      'rule 2 is reached only by other spellings: rule 1 (allow) matches all that it names. Move it up',
    ],
  ])('warns of %s', (_, rules, message) => {
    const found = lintPolicy({ rules });
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(message);
  });

  it('warns of a fallback that allows', () => {
    expect(lintPolicy(createPolicy([], { fallback: 'allow' }))).toMatchObject([
      { rule: undefined, kind: 'open-fallback' },
    ]);
    expect(lintPolicy(createPolicy([], { fallback: 'deny' }))).toEqual([]);
  });

  it('accepts rules that cover everything', () => {
    expect(
      listKinds(
        deny('db/*'),
        deny({ arguments: { path: { under: '/etc' }, '*': { host: 'evil.com' } } }),
        deny({ resource: { under: 'file:///etc' } }),
        ask('fs/delete_*', { principal: 'guest*' }),
        allow('fs/read', { arguments: { path: { under: '/work' } }, only: ['path'] }),
        allow('fs/list', { arguments: { '*': '*' } }),
        allow({ server: 'notes', tool: '*' }),
      ),
    ).toEqual([]);
  });
});

describe('lintPolicy with the list of tools', () => {
  const options = { type: 'object', properties: { force: { type: 'boolean', default: true } } };
  const inventory = [
    {
      server: 'fs',
      tools: [
        {
          name: 'read_file',
          inputSchema: {
            type: 'object',
            properties: { path: { type: 'string' }, head: { type: 'number', default: 10 } },
          },
        },
        {
          name: 'write_file',
          inputSchema: {
            type: 'object',
            properties: { file: { $ref: '#/$defs/a%20file' } },
            $defs: { 'a file': { anyOf: [{ properties: { name: {} } }, { properties: { id: {} } }] } },
          },
        },
        {
          name: 'write_all',
          inputSchema: {
            type: 'object',
            properties: { files: { type: 'array', items: { properties: { path: {} } } }, options },
          },
        },
        { name: 'open', inputSchema: { type: 'object', additionalProperties: true } },
        { name: 'cut' },
      ],
    },
    { server: 'db', tools: [] },
  ];
  const messages = (rule: Rule) => lintPolicy({ rules: [rule] }, { inventory }).map(({ message }) => message);

  it.each<[Rule, string]>([
    [
      deny('fs/read_file', { arguments: { pth: { under: '/etc' } } }),
      'rule 1 (deny) names the argument pth, which the tool read_file does not have. Expected head, path',
    ],
    [
      deny('fs/write_*', { arguments: { path: { under: '/etc' } } }),
      'rule 1 (deny) names the argument path, which the tools write_all, write_file do not have',
    ],
    [deny('fs/write_all', { arguments: { 'files.pth': { under: '/etc' } } }), 'names the argument files.pth'],
    [deny('fs/write_file', { arguments: { 'file.nam': 'a' } }), 'names the argument file.nam'],
    [deny({ arguments: { pth: { under: '/etc' } } }), 'names the argument pth'],
    [allow('fs/read_file', { only: ['Path'] }), 'names the argument Path'],
    [
      deny({ server: 'fs', tool: 'delete_*' }),
      'rule 1 (deny) names the unknown tool "delete_*". Expected cut, open, read_file, write_all, write_file',
    ],
    [deny('files/*'), 'rule 1 (deny) names the unknown server "files". Expected db, fs'],
    [
      deny('fs/read_file', { arguments: { head: { max: 100 } } }),
      'rule 1 (deny) does not match a call without head, whose default in read_file the rule should match',
    ],
  ])('warns of %j', (rule, message) => {
    const found = messages(rule);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it.each<Rule>([
    deny('fs/read_file', { arguments: { PATH: { under: '/etc' } } }),
    deny('fs/write_all', { arguments: { 'files.path': { under: '/etc' }, 'files.0.path': { under: '/etc' } } }),
    deny('fs/write_file', { arguments: { 'file.id': 1, '/file/name': 'a' } }),
    deny('fs/*', { arguments: { '*': { under: '/etc' } } }),
    deny({ arguments: { path: { under: '/etc' } } }),
    deny('fs/open', { arguments: { anything: 1 } }),
    deny('fs/cut', { arguments: { anything: 1 } }),
    deny('db/secret*'),
    deny('*/read_*'),
    deny({ prompt: 'nothing' }),
  ])('accepts %j', rule => expect(messages(rule)).toEqual([]));
});

describe('a finding on an unknown name', () => {
  const lint = (count: number) => {
    const tools = Array.from({ length: count }, (_, at) => ({
      name: `tool_${String(at).padStart(2, '0')}`,
      inputSchema: { type: 'object' as const },
    }));
    const findings = lintPolicy({ rules: [deny({ tool: 'none' })] }, { inventory: [{ server: 'db', tools }] });
    return findings.find(({ kind }) => kind === 'unknown-name')?.message;
  };

  it('lists 12 names at most, and counts the others', () => {
    expect(lint(12)).toMatch(/Expected tool_00, .*, tool_11$/);
    expect(lint(15)).toMatch(/Expected tool_00, .*, tool_11 and 3 more$/);
  });

  it('states that no name exists', () => expect(lint(0)).toMatch(/Expected none$/));
});
