import { expect, it } from 'vitest';
import { formatNextCommands } from './next-commands.js';

const URL_OF_SERVER = 'http://127.0.0.1:3000/mcp';

it('prints the commands that list, call and add a server', () => {
  expect(formatNextCommands({ env: {} }, URL_OF_SERVER).split('\n')).toEqual([
    'Next, in another terminal:',
    '',
    `  tenon list ${URL_OF_SERVER}`,
    `  tenon call ${URL_OF_SERVER} TOOL`,
    `  tenon add NAME ${URL_OF_SERVER}`,
  ]);
});

it('prints commands that work without an installation when npm runs the program', () => {
  const text = formatNextCommands({ env: { npm_execpath: '/usr/lib/npm.js' } }, URL_OF_SERVER);
  expect(text).toContain(`  npx @tenon/cli list ${URL_OF_SERVER}`);
});
