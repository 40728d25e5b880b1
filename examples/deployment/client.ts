import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { connect, type ElicitFormParams } from 'tenon';
import type { Deployer } from './server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { resume: { type: 'string' }, yes: { type: 'boolean', default: false } },
});
const [url = 'http://127.0.0.1:3000/mcp', app = 'shop', version = '1.4.2'] = positionals;

/** Accepts with the form's own defaults, or not. */
async function elicit({ message }: ElicitFormParams) {
  if (values.yes) return { action: 'accept' as const, content: {} };
  const terminal = createInterface(stdin, stdout);
  const answer = await terminal.question(`\n${message}\n\n[Y/n] `);
  terminal.close();
  return answer.toLowerCase().startsWith('n')
    ? { action: 'decline' as const }
    : { action: 'accept' as const, content: {} };
}

const client = await connect<Deployer>(url, { elicit });
const deployment = values.resume
  ? client.tasks.resume(values.resume, { tool: 'deploy' })
  : await client.tasks.start('deploy', { app, version });

console.log(`task ${deployment.id}`);
const result = await deployment.result({
  onTask: ({ status, statusMessage = '' }) => console.log(status, statusMessage),
});
console.log(result);
await client.close();
