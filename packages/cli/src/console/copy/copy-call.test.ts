import { keepIntegers, parseJsonText } from '@tenon/base';
import { createServer, type JsonObject } from 'tenon';
import { describe, expect, it } from 'vitest';
import { type CopiedCall, copyCall } from './copy-call.js';

const call: Omit<CopiedCall, 'reference' | 'target'> = {
  method: 'tools/call',
  params: { name: 'add' },
  redacted: { name: 'add' },
  protocolVersion: '2026-07-28',
  requestedVersion: null,
  tool: undefined,
  options: {},
};

describe('a call that is copied', () => {
  it.each(['tenon', 'typescript'] as const)('has no secret of the arguments of the server as %s', async format => {
    const server = { command: 'node', args: ['a.mjs', '--token', 'swordfish', '--api-key=swordfish', '--fast'] };
    const reference = { kind: 'command', ...server } as const;
    const { text, variables } = await copyCall({ ...call, reference, target: server }, format, 'bash');
    expect(text).not.toContain('swordfish');
    expect(text).toContain('--fast');
    expect(variables).toEqual(['MCP_ARGUMENT_3', 'MCP_ARGUMENT_4']);
  });

  it.each(['tenon', 'typescript', 'curl'] as const)(
    'has no secret of the address of the server as %s',
    async format => {
      const url = 'https://example.com/mcp?api_key=swordfish';
      const { text, variables } = await copyCall(
        { ...call, reference: { kind: 'url', url }, target: { url } },
        format,
        'bash',
      );
      expect(text).not.toContain('swordfish');
      expect(variables).toContain('MCP_URL');
    },
  );

  it.each(['tenon', 'curl', 'json'] as const)('has all digits of a long number as %s', async format => {
    keepIntegers();
    const params = parseJsonText('{"name":"add","arguments":{"id":9007199254740993}}') as JsonObject;
    const url = 'https://example.com/mcp';
    const copied = { ...call, params, redacted: params, reference: { kind: 'url', url } as const, target: { url } };
    expect((await copyCall(copied, format, 'bash')).text).toMatch(/id["':= ]+9007199254740993/);
  });

  it('names a server that another command has opened by its URL or its command', async () => {
    const write = async (target: CopiedCall['target']) =>
      copyCall({ ...call, reference: undefined, target, options: { header: { other: 'x' } } }, 'tenon', 'bash');
    const url = 'https://example.com/mcp';
    expect(await write({ url, headers: { 'X-Team': 'swordfish' }, auth: 'swordfish', transport: 'http' })).toEqual({
      text: `tenon call ${url} add -H 'X-Team: \${MCP_X_TEAM}' --bearer-env MCP_TOKEN --transport http`,
      variables: ['MCP_TOKEN', 'MCP_X_TEAM'],
    });
    const env = { NOTES_KEY: 'swordfish', HOME: undefined };
    expect(await write({ command: 'node', args: ['a.mjs', '--token', 'swordfish'], cwd: '/srv', env })).toEqual({
      text: 'tenon call add --pass NOTES_KEY --cwd /srv -- node a.mjs --token "$MCP_ARGUMENT_3"',
      variables: ['MCP_ARGUMENT_3'],
    });
    await expect(write(createServer({ name: 'notes', version: '1.0.0' }))).rejects.toThrow(
      'the server belongs to another command',
    );
  });

  it('shows an address without secrets', async () => {
    const url = 'https://example.com/mcp?team=notes';
    const { text } = await copyCall(
      { ...call, reference: { kind: 'url', url }, target: { url } },
      'typescript',
      'bash',
    );
    expect(text).toContain(`url: '${url}'`);
  });
});
