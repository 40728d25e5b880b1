import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../interop/process.js';

const inspector = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url),
);

/** Runs MCP Inspector once, as people do on the command line, with a home of its own. It needs Node 22.19. */
export async function inspect(
  node: string,
  home: string,
  target: readonly string[],
  method: string,
  ...more: string[]
): Promise<unknown> {
  const args = [inspector, '--cli', ...target, '--method', method, '--format', 'json', '--quiet', ...more];
  const { stdout } = await promisify(execFile)(node, args, { cwd: root, env: { ...process.env, HOME: home } });
  return (JSON.parse(stdout) as { result: unknown }).result;
}
