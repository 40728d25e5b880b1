#!/usr/bin/env node
/** Entry point of the command `tenon`. */
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
// Leftover handles must not keep the process alive, and pending output must be written before it ends.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
