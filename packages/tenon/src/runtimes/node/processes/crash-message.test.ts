import type { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { connectTo } from '../../../client/connect.js';
import { nodeTransports } from '../transports.js';

/** Answers `initialize`, and ends with code 7 when a tool is called. */
const program = `
const say = value => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n');
require('node:readline').createInterface(process.stdin).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'mortal', version: '1' } } });
  } else if (method === 'tools/call') {
    process.stderr.write('opening the database\\nabout to die\\n');
    setTimeout(() => process.exit(7), 20);
  }
});
`;

describe('a stdio server that crashes during a call', () => {
  it('causes an error with its exit code and last stderr lines', async () => {
    const endpoint = nodeTransports.createStdio({ command: process.execPath, args: ['-e', program] });
    const client = await connectTo(endpoint, { protocolVersion: '2025-11-25', validate: 'off' });
    const error: TenonError = await client.callTool('die').then(
      () => expect.unreachable('it lives'),
      thrown => thrown,
    );
    expect(error).toMatchObject({
      code: 'call/outcome-unknown',
      cause: { code: 'stdio/exited' },
    });
    expect(error.message).toMatch(/: the server exited with code 7: last lines of stderr:\n/);
    expect(error.message).toMatch(/\n {2}opening the database\n {2}about to die\n[A-Z]/);
    expect((error.cause as TenonError).message).toMatch(/code 7: .*\n.*\n {2}about to die\nCorrect [^\n]*$/);
    await client.close();
  });
});
