import { keepIntegers, parseJsonText } from '@tenon/base';
import type { JsonObject } from 'tenon';
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
