import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SERVER = fileURLToPath(new URL('../../../transports/stdio/fixtures/open-calls.mjs', import.meta.url));

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'open',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** Writes calls to the standard input of a server, ends it, and waits for the exit, as `printf … | node server.js` does. */
async function pipeInto(names: readonly string[], options: readonly string[] = []) {
  const child = spawn(process.execPath, ['--import', 'tsx', SERVER, ...options], { stdio: 'pipe' });
  const texts = { out: '', err: '' };
  child.stdout.on('data', chunk => {
    texts.out += chunk;
  });
  child.stderr.on('data', chunk => {
    texts.err += chunk;
  });
  const exited = new Promise<unknown>(resolve => child.once('close', (...how) => resolve(how)));
  const calls = names.map(name => ({
    jsonrpc: '2.0',
    id: name,
    method: 'tools/call',
    params: { name, arguments: {} },
  }));
  const messages = [INITIALIZE, INITIALIZED, ...calls];
  child.stdin.end(messages.map(message => `${JSON.stringify(message)}\n`).join(''));
  const exit = await exited;
  const answers = texts.out
    .split('\n')
    .filter(Boolean)
    .map(line => (JSON.parse(line) as { id: string }).id);
  return { exit, answers, stderr: texts.err };
}

it('exits after the end of stdin while calls are open, which it cancels first [stdio.server-exits-on-eof]', async () => {
  const { exit, answers, stderr } = await pipeInto(['hangs', 'cleans', 'brief', 'quick']);
  expect(exit).toEqual([0, null]);
  expect(answers).toEqual(['open', 'quick', 'brief']);
  expect(stderr).toContain('cleaned up after the cancellation');
});

it('waits for open and for cancelled calls as long as its options state', async () => {
  const { exit, answers, stderr } = await pipeInto(['cleans', 'brief'], ['{"drainTimeout":0,"cancelTimeout":0}']);
  expect(exit).toEqual([0, null]);
  expect(answers).toEqual(['open']);
  expect(stderr).toBe('');
});

it('exits at once after the end of stdin when no call is open', async () => {
  // A server that waited would outlive the time limit of the test.
  const { exit, answers } = await pipeInto(['quick'], ['{"drainTimeout":600000,"cancelTimeout":600000}']);
  expect(exit).toEqual([0, null]);
  expect(answers).toEqual(['open', 'quick']);
});
