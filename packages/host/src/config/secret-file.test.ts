// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so

import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { joinFindingMessages, listFindingCodes, readOne } from './fixtures/read.js';
import { parseConfig } from './parse-config.js';
import type { ReadSecretFile } from './resolve-variables.js';

const FILES: Readonly<Record<string, string>> = {
  '/home/ada/token': 'hunter22\n',
  '/p/key.pem': 'line 1\nline 2\r\n\r\n',
  '/p/empty': '\n',
  '/p/exposed': 'hunter22',
  '/p/nested': '${T}${caller:user}${file:/p/empty}',
};

const readSecretFile: ReadSecretFile = async path => {
  const text = FILES[path];
  if (text === undefined) throw new TenonError('config/not-found', 'file not found', { hint: 'create the file' });
  return { text, isExposed: path === '/p/exposed' };
};

const read = (value: string, options = {}) =>
  readOne({ command: 'a', env: { K: value } }, { T: '/p/key.pem' }, { readSecretFile, ...options });
const readValue = async (value: string) => {
  const [entry] = (await read(value)).entries;
  return entry && 'command' in entry.target ? entry.target.env?.K : undefined;
};

describe('${file:PATH} in a configuration', () => {
  it('is the content of a file without the line breaks at its end', async () => {
    expect(await readValue('Bearer ${file:~/token}')).toBe('Bearer hunter22');
    expect(await readValue('${file:key.pem}')).toBe('line 1\nline 2');
    expect(await readValue('${file:${T}}')).toBe('line 1\nline 2');
    expect(await readValue('${file:${userHome}/token}')).toBe('hunter22');
    expect(await readValue('${NOT_SET:-${file:/home/ada/token}}')).toBe('hunter22');
  });

  it('is not expanded again', async () => {
    expect(await readValue('${file:nested}')).toBe('${T}${caller:user}${file:/p/empty}');
  });

  it('is refused in the file of a project, and the file is not read', async () => {
    const paths: string[] = [];
    const config = await read('${file:~/token}', {
      scope: 'project',
      readSecretFile: async (path: string) => {
        paths.push(path);
        return { text: 'x', isExposed: false };
      },
    });
    expect([config.entries, listFindingCodes(config), paths]).toEqual([
      [],
      ['error config/user-only mcpServers.s.env.K'],
      [],
    ]);
    expect(joinFindingMessages(config)).toContain('a project could read any file of yours');
  });

  it('warns of a file that other users can read', async () => {
    const config = await read('${file:exposed}');
    expect(listFindingCodes(config)).toEqual(['warning config/secret-file mcpServers.s.env.K']);
    expect(config.entries).toHaveLength(1);
  });

  it('reports an empty file and a missing one without its content', async () => {
    expect(listFindingCodes(await read('${file:empty}'))).toEqual(['error config/secret-file mcpServers.s.env.K']);
    expect(joinFindingMessages(await read('${file:gone}'))).toContain('`${file:…}`: file not found. Create the file');
  });

  it('is refused where no file can be read', async () => {
    expect(listFindingCodes(await read('${file:~/token}', { readSecretFile: undefined }))).toEqual([
      'error config/variable mcpServers.s.env.K',
    ]);
  });

  it('is refused in a path that a value of the caller would choose', async () => {
    expect(listFindingCodes(await read('${file:/p/${caller:user}}'))).toEqual([
      'error config/caller-value mcpServers.s.env.K',
    ]);
  });

  it('reads the form of OpenCode', async () => {
    const mcp = { s: { type: 'local', command: ['a'], environment: { K: '{file:~/token}' } } };
    const config = await parseConfig(JSON.stringify({ mcp }), {
      file: '/p/opencode.json',
      scope: 'user',
      home: '/home/ada',
      env: () => undefined,
      readSecretFile,
    });
    expect(config.entries[0]).toMatchObject({ target: { env: { K: 'hunter22' } } });
  });

  it('keeps the variable in entries that are copied', async () => {
    const config = await read('${file:gone}', { resolve: false });
    expect([listFindingCodes(config), config.entries[0]?.target]).toEqual([
      [],
      { command: 'a', env: { K: '${file:gone}' } },
    ]);
  });
});
