// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinFindingMessages, listFindingCodes, readOne } from './fixtures/read.js';
import type { AskInput } from './inputs.js';
import { parseConfig } from './parse-config.js';
import { parseReferences } from './variable-references.js';

const env = { A: 'one', EMPTY: '', NESTED: '${A}', 'ProgramFiles(x86)': 'C:\\P' };
const inputs = [{ id: 'x', type: 'promptString' }];

const filled = async (text: string, more: object = {}): Promise<string> => {
  const config = await readOne({ command: 'c', args: [text] }, env, { ...more });
  const target = config.entries[0]?.target as { args: string[] } | undefined;
  return target?.args[0] ?? listFindingCodes(config).join();
};
const variable = 'error config/variable mcpServers.s.args[0]';

describe('expandVariables', () => {
  it.each([
    ['${A}', 'one'],
    ['<${A}${A}>', '<oneone>'],
    ['${env:A}', 'one'],
    ['${env:ProgramFiles(x86)}', 'C:\\P'],
    ['${A:-two}', 'one'],
    ['${NO:-two}', 'two'],
    ['${env:NO:-two}', 'two'],
    ['${NO:-}', ''],
    ['${EMPTY}', ''],
    // As Claude Code has it: set is set.
    ['${EMPTY:-two}', ''],
    ['${NO:-https://h:1/x?y=z}', 'https://h:1/x?y=z'],
    ['${NO:-${A}}', 'one'],
    ['${NO:-<${NEITHER:-${A}}>}!', '<one>!'],
    // What a variable holds is not filled in once more.
    ['${NESTED}', '${A}'],
    ['$A $ {A} $', '$A $ {A} $'],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['${A}$${A}${A}', 'one${A}one'],
    ['${', '${'],
    ['${A', '${A'],
    ['${workspaceFolder}', '/p'],
    ['${workspaceFolderBasename}', 'p'],
    ['${userHome}', '/home/ada'],
    ['${pathSeparator}${/}', '//'],
    ['${NO}', variable],
    ['${NO:-${NEITHER}}', variable],
    ['${}', variable],
    ['${ A }', variable],
    ['${command:x}', variable],
    ['${env:}', variable],
    ['${input:gone}', 'error config/input mcpServers.s.args[0]'],
  ])('replaces %s by %s', async (text, result) => {
    expect(await filled(text)).toBe(result);
  });

  it('names the missing variable, its place, and nothing else', async () => {
    const config = await readOne({ command: 'c', env: { K: 'hush${TOKEN}' } }, env);
    expect(joinFindingMessages(config)).toContain('/p/mcp.json:1: mcpServers.s.env.K: the variable "TOKEN" is not set');
    expect(joinFindingMessages(config)).not.toContain('hush');
  });

  it('needs no variables, and prompts for none, for a disabled server', async () => {
    const config = await readOne({ url: 'https://${NO}/${input:x}', disabled: true });
    expect(config.findings).toEqual([]);
    expect(config.entries).toMatchObject([{ target: { url: 'https://${NO}/${input:x}' }, disabled: true }]);
    expect((await readOne({ url: '${NO}/mcp', enabled: false })).findings).toEqual([]);
    expect((await readOne({ command: 'x', sandboxEnabled: true, envFile: 'y', disabled: true })).findings).toEqual([]);
  });

  it('limits the size of the result', async () => {
    const config = await readOne({ command: 'c', args: ['${A}'.repeat(500)] }, { A: 'x'.repeat(10_000) });
    expect(listFindingCodes(config)).toEqual(['error config/too-large mcpServers.s.args[0]']);
    const deep = `${'${NO:-'.repeat(20)}x${'}'.repeat(20)}`;
    expect(await filled(deep)).toBe('error config/too-large mcpServers.s.args[0]');
  });

  it.each<[string | undefined, AskInput | undefined, string]>([
    [undefined, undefined, 'error config/input mcpServers.s.args[0]'],
    ['fallback', undefined, 'fallback'],
    ['fallback', () => 'typed', 'typed'],
    [undefined, () => '', ''],
    [undefined, () => Promise.reject(new Error('hush')), 'error config/input mcpServers.s.args[0]'],
  ])('prompts for inputs: default %s', async (fallback, ask, result) => {
    const text = {
      inputs: [{ ...inputs[0], default: fallback }],
      servers: { s: { command: 'c', args: ['${input:x}'] } },
    };
    const options = { file: '/p', scope: 'user', env: () => undefined, ...(ask && { inputs: ask }) } as const;
    const config = await parseConfig(JSON.stringify(text), options);
    const target = config.entries[0]?.target as { args: string[] } | undefined;
    expect(target?.args[0] ?? listFindingCodes(config).join()).toBe(result.replace('mcpServers', 'servers'));
    expect(joinFindingMessages(config)).not.toContain('hush');
  });

  it('refuses an input value outside the choices, and an input that it cannot prompt for', async () => {
    const options = { file: '/p', scope: 'user', env: () => undefined, inputs: () => 'z' } as const;
    const servers = { s: { command: 'c', args: ['${input:x}'] } };
    const picked = { inputs: [{ id: 'x', type: 'pickString', options: ['a', { label: 'B', value: 'b' }] }], servers };
    expect(listFindingCodes(await parseConfig(JSON.stringify(picked), options))).toEqual([
      'error config/input servers.s.args[0]',
    ]);
    const run = { inputs: [{ id: 'x', type: 'command', command: 'y' }, 1, { id: 'x' }, { id: 'x' }], servers };
    expect(listFindingCodes(await parseConfig(JSON.stringify(run), { ...options, inputs: () => 'v' }))).toEqual([
      'error config/input inputs[0]',
      'error config/input inputs[1]',
      'error config/input inputs[3]',
    ]);
  });

  it('splits what an argument joins', () => {
    const literal = fc.string({ minLength: 1 }).map(text => text.replaceAll('$', '') || 'x');
    const escaped = literal.map(text => ({ text: `${text}$\${`, piece: `${text}\${` }));
    const name = fc.stringMatching(/^[A-Z_]{1,8}$/);
    const fallback = literal.map(text => text.replace(/[{}]/g, ''));
    const variable = fc.record({ name, fallback }, { requiredKeys: ['name'] }).map(each => ({
      text: `\${${each.name}${each.fallback === undefined ? '' : `:-${each.fallback}`}}`,
      piece: { kind: 'env', ...each },
    }));
    const part = fc.oneof(
      literal.map(text => ({ text, piece: text })),
      escaped,
      variable,
    );
    fc.assert(
      fc.property(fc.array(part), parts => {
        const merged: unknown[] = [];
        for (const { piece } of parts) {
          const joins = typeof piece === 'string' && typeof merged.at(-1) === 'string';
          merged.push(joins ? `${merged.pop()}${piece}` : piece);
        }
        expect(parseReferences(parts.map(({ text }) => text).join(''))).toEqual(merged);
      }),
    );
  });

  it('reads any text, in linear time', () => {
    const part = fc.constantFrom('$', '{', '}', 'A', ':-', 'env:', '${', '${A}', ' ');
    fc.assert(fc.property(fc.array(part), parts => void parseReferences(parts.join(''))));
    expect(parseReferences('${'.repeat(500_000))).toHaveLength(1);
    expect(parseReferences('${A}'.repeat(100_000))).toHaveLength(100_000);
  });
});
