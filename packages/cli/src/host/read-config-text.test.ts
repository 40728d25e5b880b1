import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAnyConfigFile } from './read-config-text.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-config-text-'));
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }));

async function readTarget(name: string, text: string) {
  const path = join(folder, name);
  await writeFile(path, text);
  const { entries, findings } = await readAnyConfigFile(path, {});
  expect(findings).toEqual([]);
  return entries[0]?.target;
}

const VALUES = {
  version: '1.10',
  precise: '0.12345678901234567890',
  large: '1e400',
  exponent: '1.0E3',
  negative: '-0.0',
  long: '1152921504606846976123',
};

describe('readAnyConfigFile', () => {
  it('keeps the text of numbers and flags in variables and arguments of YAML', async () => {
    const written = { ...VALUES, octal: '0o17', mode: '0644', hex: '0xFF', flag: 'True' };
    const env = Object.entries(written).map(([name, value]) => `      ${name}: ${value}`);
    const target = await readTarget(
      'config.yaml',
      ['mcpServers:', '  a:', '    command: node', '    args: [--v, 2.50]', '    env:', ...env].join('\n'),
    );
    expect(target).toMatchObject({ args: ['--v', '2.50'], env: written });
  });

  it('keeps the text of numbers behind an alias of YAML', async () => {
    const text = ['env: &shared', '  version: 1.10', 'mcpServers:', '  a:', '    command: node', '    env: *shared'];
    expect(await readTarget('config.yml', text.join('\n'))).toMatchObject({ env: { version: '1.10' } });
  });

  it('keeps the text of numbers, dates and flags in variables and arguments of TOML', async () => {
    const { large: _, ...numbers } = VALUES;
    const written = { ...numbers, day: '2026-01-02', at: '2026-01-02T03:04:05.600Z', grouped: '1_000', flag: 'true' };
    const env = Object.entries(written).map(([name, value]) => `${name} = ${value}`);
    const target = await readTarget(
      'config.toml',
      ['[mcp_servers.a]', 'command = "node"', 'args = ["--v", 2.50]', '[mcp_servers.a.env]', ...env].join('\n'),
    );
    expect(target).toMatchObject({ args: ['--v', '2.50'], env: written });
  });

  it('keeps the text of numbers in an inline table of TOML', async () => {
    const text = '[mcp_servers]\na = { command = "node", env = { version = 1.10 } }';
    expect(await readTarget('config.toml', text)).toMatchObject({ env: { version: '1.10' } });
  });
});
