import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { RegistryServer } from './registry-document.js';
import { collectInputs, type InputSource, isSecret, readCollected } from './registry-inputs.js';
import { createRegistryTarget } from './registry-target.js';

const server: RegistryServer = {
  name: 'io.github.example/notes',
  description: '',
  version: '1.2.0',
  packages: [
    {
      registryType: 'npm',
      identifier: 'notes',
      version: '1.2.0',
      transport: { type: 'stdio' },
      packageArguments: [
        { type: 'named', name: '--port', format: 'number', default: '8080' },
        { type: 'positional', valueHint: 'folder', format: 'filepath', isRequired: true },
      ],
      environmentVariables: [
        { name: 'LEVEL', choices: ['info', 'debug'], isRequired: true },
        { name: 'QUIET', format: 'boolean' },
        { name: 'NOTES_TOKEN', isRequired: true, isSecret: true },
        { name: 'API_KEY', isRequired: true },
        { name: 'OTHER_TOKEN', isSecret: true },
      ],
    },
  ],
};

/** Collects the values. `answers` are those that the user types, in order, by name. */
async function collect(answers: Readonly<Record<string, readonly string[]>>, source: Partial<InputSource> = {}) {
  const notes: string[] = [];
  const requests: Parameters<InputSource['ask']>[0][] = [];
  const remaining = new Map(Object.entries(answers).map(([name, texts]) => [name, [...texts]]));
  const values = await collectInputs({ screen: createScreen(notes), cwd: '/home/ann' }, server, {
    given: {},
    others: {},
    ask: input => {
      requests.push(input);
      return remaining.get(input.id)?.shift();
    },
    isAsked: input => !isSecret(input),
    canUseSecrets: false,
    ...source,
  });
  return { target: createRegistryTarget(server, readCollected(values)).target, notes, requests };
}

const createScreen = (notes: string[]) => ({
  isTerminal: false,
  note: (text: string) => void notes.push(text),
  print() {},
  printData() {},
  printJson() {},
  printBytes() {},
  noteJson() {},
  useJson() {},
  startLog() {},
  printEvent() {},
  logsJson: false,
  holdOutput: () => () => {},
  mute() {},
  releaseStdout() {},
  showStatus() {},
  style: (_: string, text: string) => text,
});

it('asks for values that are no secrets, with their choices and defaults [cli.search]', async () => {
  const { target, requests, notes } = await collect({ folder: ['notes'], LEVEL: ['debug'] });
  expect(requests.map(({ id }) => id)).toEqual(['LEVEL', 'QUIET', 'port', 'folder']);
  expect(requests[0]).toMatchObject({ type: 'pickString', options: ['info', 'debug'] });
  expect(requests[2]).toMatchObject({ default: '8080', description: 'port (number)' });
  expect(target).toEqual({
    command: 'npx',
    args: ['-y', 'notes@1.2.0', '--port', '8080', resolve('/home/ann/notes')],
    env: { LEVEL: 'debug', NOTES_TOKEN: `\${NOTES_TOKEN}`, API_KEY: `\${API_KEY}` },
  });
  expect(notes).toEqual([expect.stringContaining('Optional secret: OTHER_TOKEN')]);
});

it('asks again after a value of another format, or none of the choices [cli.search]', async () => {
  const { target, notes } = await collect({
    folder: ['notes'],
    LEVEL: ['loud', 'info'],
    port: ['many', '1'],
    QUIET: ['perhaps', 'true'],
  });
  expect(target).toMatchObject({ args: expect.arrayContaining(['1']), env: { LEVEL: 'info', QUIET: 'true' } });
  expect(notes.slice(0, 3)).toEqual([
    'LEVEL: expected one of: info, debug',
    'QUIET: expected true or false',
    'port: expected a number',
  ]);
});

it('names all missing values, with the option that gives them [cli.search]', async () => {
  await expect(collect({})).rejects.toMatchObject({
    code: 'cli/usage',
    message: expect.stringMatching(/LEVEL, folder[\s\S]*--user-config LEVEL=VALUE --user-config folder=VALUE/),
  });
});

it('uses values of options without asking, and validates them [cli.search]', async () => {
  const given = { folder: '/notes', LEVEL: 'info', port: '1', API_KEY: `\${MY_KEY}` };
  const { target } = await collect({}, { given, others: { QUIET: 'true', ELSEWHERE: 'x' } });
  expect(target).toMatchObject({ env: { LEVEL: 'info', QUIET: 'true', API_KEY: `\${MY_KEY}` } });
  await expect(collect({}, { given: { ...given, port: 'x' } })).rejects.toThrow('expected a number');
  await expect(collect({}, { given: { ...given, NOTES_TOKEN: 'hush' } })).rejects.toThrow('is a secret');
  await expect(collect({}, { given: { ...given, LEVLE: 'info' } })).rejects.toThrow('Did you mean "LEVEL"');
});

it('asks for secrets too if they are used at once [cli.search]', async () => {
  const { target, requests } = await collect(
    { NOTES_TOKEN: ['hush'], folder: ['/notes'] },
    { canUseSecrets: true, isAsked: ({ isRequired }) => isRequired === true },
  );
  expect(requests.find(({ id }) => id === 'NOTES_TOKEN')).toMatchObject({ password: true });
  expect(target).toMatchObject({ env: { NOTES_TOKEN: 'hush', LEVEL: `\${LEVEL}` } });
});
