#!/usr/bin/env node
/** The command `tenon`. */
import { exitCodes } from './exit-codes.js';
import { run } from './program.js';
import { createScreen } from './screen.js';
import { createTerminal } from './terminal.js';

const code = await run(process.argv.slice(2), {
  screen: createScreen(process.stdout, process.stderr),
  terminal: createTerminal(process.stdin, process.stderr),
  env: process.env,
  cwd: process.cwd(),
  code: exitCodes.success,
});
process.exitCode = code;
// What was let go of must not keep the process; what was written must be out before it ends.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
