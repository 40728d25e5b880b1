import { writeSync } from 'node:fs';
import { endOnSignal, stopServers } from './end-on-signal.js';
import { exitCodes } from './exit-codes.js';
import { run } from './program.js';
import { createScreen } from './screen.js';
import { createTerminal } from './terminal.js';

/** Runs the command with these arguments in this process, and then ends the process. */
export async function runProcess(args: readonly string[]): Promise<void> {
  let hasFailed = false;
  for (const stream of [process.stdout, process.stderr]) {
    // The reader of a pipe may close it early, as `head` does. There is nothing left to write for.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isPipe = error.code === 'EPIPE';
      hasFailed = !isPipe;
      if (hasFailed) writeSync(2, `tenon: the output cannot be written: ${error.code ?? error.message}\n`);
      void stopServers().then(() => process.exit(isPipe ? exitCodes.success : exitCodes.failure));
    });
  }
  const screen = createScreen(process.stdout, process.stderr, { noColor: Boolean(process.env.NO_COLOR) });
  // Node writes a warning of Tenon, such as that of a token file, with the ID of the process and without its details.
  const [writeWarning] = process.listeners('warning');
  process.removeAllListeners('warning').on('warning', warning => {
    const { message, code, detail }: Error & { code?: unknown; detail?: unknown } = warning;
    if (String(code).includes('/')) screen.note(`warning: ${message}. ${detail}`, 'warning');
    else writeWarning?.(warning);
  });
  const terminal = createTerminal(process.stdin, process.stderr, screen);
  const ending = endOnSignal({ screen, terminal });
  const result = await run(args, {
    screen,
    terminal,
    env: process.env,
    // The working folder may have been deleted. Commands that need none, such as help, work nevertheless.
    get cwd() {
      return process.cwd();
    },
    code: exitCodes.success,
  });
  const code = await ending.finish(result);
  process.exitCode = code;
  // A question may still be open. Its end shows the cursor again, and writes the messages that were held back.
  await terminal.releaseStdin();
  // Leftover handles must not keep the process alive, and pending output must be written before it ends. Node reports an
  // error of the last output after the callbacks.
  const end = () => setImmediate(() => process.exit(hasFailed ? exitCodes.failure : code));
  process.stdout.write('', () => process.stderr.write('', end));
}
