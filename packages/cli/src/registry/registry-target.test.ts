import { describe, expect, it } from 'vitest';
import type { RegistryPackage } from './registry-document.js';
import { createRegistryTarget } from './registry-target.js';

const PINNED = { version: '1.2.0' };
const createServer = (found: Partial<RegistryPackage>) => ({
  name: 'io.github.example/notes',
  description: '',
  version: '1.2.0',
  packages: [{ registryType: 'npm', identifier: '@corp/notes', transport: { type: 'stdio' }, ...PINNED, ...found }],
});
const formatCommand = (found: Partial<RegistryPackage>): string => {
  const { target } = createRegistryTarget(createServer(found));
  return 'url' in target ? '' : [target.command, ...(target.args ?? [])].join(' ');
};
const corp = 'https://packages.corp.example';

describe('the registry of a package', () => {
  it.each([
    [{}, `npx -y --registry=${corp} --@corp:registry=${corp} @corp/notes@1.2.0`],
    [{ identifier: 'notes' }, `npx -y --registry=${corp} notes@1.2.0`],
    [{ registryType: 'pypi', identifier: 'notes' }, `uvx --default-index ${corp}/simple notes@1.2.0`],
    [
      { registryType: 'pypi', identifier: 'notes', runtimeHint: 'pipx' },
      `pipx run --index-url ${corp}/simple notes==1.2.0`,
    ],
    [{ registryType: 'nuget', identifier: 'Notes' }, `dnx --yes --source ${corp} Notes@1.2.0`],
    [{ registryType: 'oci', identifier: 'corp/notes' }, 'docker run -i --rm packages.corp.example/corp/notes:1.2.0'],
    [
      { registryType: 'oci', identifier: 'packages.corp.example/notes:1' },
      'docker run -i --rm packages.corp.example/notes:1',
    ],
  ])('is passed to the program that runs it: %j [cli.search]', (found, command) => {
    expect(formatCommand({ registryBaseUrl: corp, ...found })).toBe(command);
  });

  it.each([
    ['bunx cannot select one', { registryBaseUrl: corp, runtimeHint: 'bunx' }],
    ['an image of another host', { registryBaseUrl: corp, registryType: 'oci', identifier: 'ghcr.io/corp/notes:1' }],
    ['http: elsewhere than on loopback', { registryBaseUrl: 'http://packages.corp.example' }],
    ['no URL', { registryBaseUrl: 'packages' }],
    ['an address with options of a shell', { registryBaseUrl: `${corp}/?a&calc` }],
  ])('refuses the entry: %s [cli.search]', (_, found) => {
    expect(() => formatCommand(found)).toThrow(expect.objectContaining({ code: 'registry/not-runnable' }));
  });

  it('is told in the review, unless it is the public one [cli.search]', () => {
    const { notes } = createRegistryTarget(createServer({ registryBaseUrl: corp }));
    expect(notes).toEqual([`The package comes from ${corp}`]);
    const registryBaseUrl = 'https://registry.npmjs.org';
    expect(createRegistryTarget(createServer({ registryBaseUrl })).notes).toEqual([]);
    expect(formatCommand({ registryBaseUrl })).toBe('npx -y @corp/notes@1.2.0');
  });
});

describe('the runtime of a package', () => {
  it('is the one that the entry names, if it is known [cli.search]', () => {
    expect(formatCommand({ runtimeHint: 'bunx' })).toBe('bunx @corp/notes@1.2.0');
    const image = { registryType: 'oci', identifier: 'ghcr.io/a/b:1', runtimeHint: 'podman' };
    expect(formatCommand(image)).toBe('podman run -i --rm ghcr.io/a/b:1');
  });

  it('is reported if it is unknown, and refused if arguments are for it [cli.search]', () => {
    const { target, notes } = createRegistryTarget(createServer({ runtimeHint: 'deno' }));
    expect(target).toMatchObject({ command: 'npx' });
    expect(notes).toEqual(['The entry names the runtime deno, which is not known. npx is used']);
    const runtimeArguments = [{ type: 'named', name: '--allow-net', value: '' }] as const;
    expect(() => formatCommand({ runtimeHint: 'deno', runtimeArguments })).toThrow('Known runtimes: npx, bunx');
  });

  it('gets arguments of the server after a separator if it has options of its own [cli.search]', () => {
    const packageArguments = [{ type: 'positional', value: 'serve' }] as const;
    expect(formatCommand({ registryType: 'nuget', identifier: 'Notes', packageArguments })).toBe(
      'dnx --yes Notes@1.2.0 -- serve',
    );
  });

  it.each(['notes', 'notes:latest'])('refuses an image without a fixed version: %s [cli.search]', identifier => {
    const server = createServer({});
    const packages = [{ registryType: 'oci', identifier, transport: { type: 'stdio' } }];
    expect(() => createRegistryTarget({ ...server, packages })).toThrow(/cannot be started/);
  });
});
