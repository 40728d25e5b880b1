import type { CliContext } from '../cli-context.js';

/**
 * Returns the commands with which a user tries a URL from another terminal: list, call, and add to a host. Under npm the
 * command is not in `PATH`.
 */
export function formatNextCommands({ env }: Pick<CliContext, 'env'>, url: string): string {
  const program = env.npm_execpath === undefined ? 'tenon' : 'npx @tenon/cli';
  return [
    'Next, in another terminal:',
    '',
    `  ${program} list ${url}`,
    `  ${program} call ${url} TOOL`,
    `  ${program} add NAME ${url}`,
  ].join('\n');
}
