import type { Channel, Receiver } from '../../jsonrpc/channel.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { Id, Message, Response } from '../../jsonrpc/message.js';
import { createLineReader, type LineLimits } from './lines.js';
import type { Exit, ServerProcess, SpawnServer } from './process.js';
import { shownCommand, withoutSecrets } from './redaction.js';
import { createStderrTail, type StderrTail } from './stderr-tail.js';
import { createLineWriter, type LineWriter } from './writer.js';

export interface StdioOptions extends LineLimits {
  /** The program: a path, or a name that is looked up on PATH. Never a shell line. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /**
   * What the server's environment has besides the few variables that programs need to run at all. The rest of this
   * process' environment, with its secrets, is not passed on. A value of `undefined` takes a variable out.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /**
   * What becomes of the server's stderr. `pipe` keeps its last lines for errors and shows nothing, `inherit` shows it on
   * ours as well, a function gets each line without what looks like a secret, `ignore` drops it. Output on stderr is no
   * failure. Default `pipe`.
   */
  readonly stderr?: 'pipe' | 'inherit' | 'ignore' | ((line: string) => void) | undefined;
  /** How long a server may take to exit after its stdin was closed, before SIGTERM. Default 2,000 ms. */
  readonly exitMs?: number | undefined;
  /** How long it may take after SIGTERM, before SIGKILL. Default 2,000 ms. */
  readonly terminateMs?: number | undefined;
  /** How much may wait for a server that does not read, in characters. Default 64 Mi. */
  readonly maxQueued?: number | undefined;
  readonly clock?: Clock | undefined;
}

const EXIT_MS = 2000;
const TERMINATE_MS = 2000;
/** How long one end of a process may outlive the other: its output after its exit, or the reverse. */
const SETTLE_MS = 500;

/**
 * The road to a server that runs as a child process and speaks on its standard streams. `open` rejects with
 * `stdio/spawn` when it can not be started; a later exit closes the channel with `stdio/exited`.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function openStdio(options: StdioOptions, spawn: SpawnServer): Channel {
  return new ChildChannel(options, spawn);
}

class ChildChannel implements Channel {
  readonly peer: string;
  readonly #options: StdioOptions;
  readonly #spawn: SpawnServer;
  readonly #clock: Clock;
  readonly #tail: StderrTail;
  #receiver: Receiver | undefined;
  #child: ServerProcess | undefined;
  #writer: LineWriter | undefined;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StdioOptions, spawn: SpawnServer) {
    this.peer = `stdio: ${shownCommand(options.command, options.args)}`;
    this.#options = options;
    this.#spawn = spawn;
    this.#clock = options.clock ?? systemClock;
    this.#tail = createStderrTail(lineListener(options.stderr));
  }

  open(receiver: Receiver): Promise<void> {
    this.#receiver = receiver;
    this.#starting = this.#start();
    return this.#starting;
  }

  send(message: Message | readonly Response[]): void | Promise<void> {
    if (this.#writer && !this.#closing) return this.#writer.send(message);
    return Promise.reject(new TenonError('connection/closed', 'the connection is not open', { peer: this.peer }));
  }

  close(): Promise<void> {
    return this.#finish();
  }

  async #start(): Promise<void> {
    const child = await this.#spawn(this.#options, this.peer);
    this.#child = child;
    this.#writer = createLineWriter(child.input, { peer: this.peer, maxQueued: this.#options.maxQueued });
    child.errors?.read(this.#tail);
    const outputEnded = this.#read(child);
    void child.exited.then(async exit => {
      // What was written before the exit is still to be read, but a child of the child may hold the stream open.
      await Promise.race([outputEnded, after(this.#clock, SETTLE_MS)]);
      await this.#finish(exited(this.peer, exit, this.#tail, this.#options.env));
    });
    void outputEnded.then(async () => {
      await Promise.race([child.exited, after(this.#clock, SETTLE_MS)]);
      if (child.running()) await this.#finish(silent(this.peer));
    });
  }

  #read(child: ServerProcess): Promise<void> {
    const lines = {
      value: (value: unknown) => this.#receiver?.message(value),
      unreadable: (error: TenonError) => this.#receiver?.unreadable(error),
      lost: (id: Id, error: TenonError) => this.#receiver?.lost(id, error),
    };
    const reader = createLineReader(this.peer, lines, this.#options);
    return new Promise(resolve => {
      child.output.read({
        chunk: bytes => reader.chunk(bytes),
        end() {
          reader.end();
          resolve();
        },
      });
    });
  }

  #finish(error?: TenonError): Promise<void> {
    this.#closing ??= this.#end(error);
    return this.#closing;
  }

  async #end(error?: TenonError): Promise<void> {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    // An unexpected end is told at once; one that was asked for, when the process is gone.
    if (error) receiver?.closed(error);
    await this.#starting?.catch(() => {});
    this.#writer?.end();
    if (this.#child) await stop(this.#child, this.#clock, this.#options);
    if (!error) receiver?.closed();
  }
}

const LOOK_MS = 20;

/** Its stdin is closed: wait, SIGTERM, wait, SIGKILL; the last two for everything that it started as well. */
async function stop(child: ServerProcess, clock: Clock, options: StdioOptions): Promise<void> {
  const { exitMs = EXIT_MS, terminateMs = TERMINATE_MS } = options;
  // The clock's timers keep no process alive, but who awaits this is to come back from it.
  const release = child.hold();
  if (!(await gone(child, clock, exitMs))) child.terminate();
  if (!(await gone(child, clock, terminateMs))) child.kill();
  await gone(child, clock, terminateMs);
  release();
}

async function gone(child: ServerProcess, clock: Clock, ms: number): Promise<boolean> {
  const deadline = clock.now() + ms;
  while (child.anyRunning()) {
    if (clock.now() >= deadline) return false;
    const look = after(clock, LOOK_MS);
    await (child.running() ? Promise.race([child.exited, look]) : look);
  }
  return true;
}

function after(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => clock.after(ms, resolve));
}

function lineListener(stderr: StdioOptions['stderr']): ((line: string) => void) | undefined {
  if (typeof stderr !== 'function') return undefined;
  return line => {
    try {
      stderr(line);
    } catch {
      // A listener that fails costs its line, not the connection.
    }
  };
}

function exited(peer: string, exit: Exit, tail: StderrTail, env: StdioOptions['env']): TenonError {
  tail.end();
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code ?? 'unknown'}`;
  const secrets = Object.values(env ?? {}).filter(value => value !== undefined);
  const lines = tail.lines().map(line => withoutSecrets(line, secrets));
  const words = lines.length === 0 ? 'and wrote nothing to stderr' : `its last words:\n  ${lines.join('\n  ')}`;
  return new TenonError('stdio/exited', `the server ${how}: ${words}`, {
    peer,
    got: exit.signal ? `signal ${exit.signal}` : `exit code ${exit.code}`,
    next: 'run the command in a terminal: a server that works waits in silence for its stdin',
  });
}

function silent(peer: string): TenonError {
  return new TenonError('stdio/output-closed', 'the server closed its stdout but did not exit', {
    peer,
    next: 'nothing can come from it any more; it is being stopped',
  });
}
