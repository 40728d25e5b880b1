import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../..', import.meta.url));

const program = `
import { connect, createServer, tool } from 'tenon';
const tools = { never: tool({ run: () => new Promise(() => {}) }) };
const client = await connect(createServer({ name: 's', version: '1', tools }));
try {
  await client.callTool('never', {}, { LIMIT: 200 });
} catch (error) {
  console.log(error.code);
}
`;

describe('an unanswered call in memory', () => {
  it.each(['idleTimeout', 'totalTimeout'])('keeps the process alive until its %s', async limit => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', program.replace('LIMIT', limit)];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text;
    });
    const [code] = await once(child, 'close');
    expect([output.trim(), code]).toEqual(['call/timeout', 0]);
  });
});
