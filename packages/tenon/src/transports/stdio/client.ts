import { type Clock, isObject, runWithTimeout, sleep, systemClock, TenonError } from '@tenon/base';
import type { Id, JsonRpcMessage, JsonRpcResponse } from '../../jsonrpc/message.js';
import type { MessageReceiver, Transport } from '../../jsonrpc/transport.js';
import { listSecretTexts, redactCommand, redactValues } from './command-redaction.js';
import { createLineReader, type LineLimits } from './line-reader.js';
import { createLineWriter, type LineWriter } from './line-writer.js';
import type { ProcessExit, ServerProcess, SpawnServer } from './server-process-types.js';
import { createStderrTail, type StderrTail } from './stderr-tail.js';

export interface StdioTransportOptions extends LineLimits {
  /** Program to start: a path, or a name in `PATH`. It is never a shell command line. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /**
   * Environment variables of the server, in addition to the few that programs need to run and to reach the network.
   * Other variables of this process may contain secrets and are not passed on. A value of `undefined` removes a variable.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /**
   * Handling of the server's standard error. `pipe` keeps the last lines for error messages, `inherit` also prints
   * them, `ignore` drops them.
   *
   * A function gets each line, without texts that look like secrets. Output on standard error is not a failure.
   *
   * @default `pipe`
   */
  readonly stderr?: 'pipe' | 'inherit' | 'ignore' | ((line: string) => void) | undefined;
  /**
   * Beginning of the name of a container, for a command such as `docker run …` or `podman run …`. The transport adds
   * `--name` with a unique name, and removes the container when the command had to be killed, because the container
   * would outlive it.
   * @default none
   */
  readonly container?: string | undefined;
  /**
   * Maximum time for the server to exit after its standard input was closed, in milliseconds. After it the client
   * sends SIGTERM.
   * @default 2,000
   */
  readonly exitTimeout?: number | undefined;
  /**
   * Maximum time for the server to exit after SIGTERM, in milliseconds. After it the client sends SIGKILL.
   * @default 2,000
   */
  readonly terminateTimeout?: number | undefined;
  /**
   * Maximum number of characters that wait for a server that does not read.
   * @default 64 Mi
   */
  readonly maxBufferedSize?: number | undefined;
  readonly clock?: Clock | undefined;
}

const EXIT_TIMEOUT = 2000;
const TERMINATE_TIMEOUT = 2000;
/** Minimum time that a process uses the processor while it makes progress, in milliseconds. Waiting uses less. */
const MIN_PROCESSOR_TIME = 50;
/** Maximum time between the exit of a process and the end of its output, in milliseconds, in either order. */
const SETTLE_TIMEOUT = 500;

/**
 * Creates a transport to a server that runs as a child process and uses its standard streams. `open` rejects with
 * `stdio/spawn` when the process cannot be started. A later exit closes the transport with `stdio/exited`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function createStdioTransport(options: StdioTransportOptions, spawn: SpawnServer): Transport {
  return new StdioTransport(options, spawn);
}

class StdioTransport implements Transport {
  readonly peer: string;
  readonly firstOutput: Promise<void>;
  #onFirstOutput: () => void = () => {};
  readonly #options: StdioTransportOptions;
  readonly #spawn: SpawnServer;
  readonly #clock: Clock;
  readonly #stderrTail: StderrTail;
  /** Texts that reveal a configured variable. A server may print its environment. */
  readonly #secrets: readonly string[];
  #receiver: MessageReceiver | undefined;
  #child: ServerProcess | undefined;
  #writer: LineWriter | undefined;
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #hasOutput = false;
  #processorTime = 0;

  constructor(options: StdioTransportOptions, spawn: SpawnServer) {
    this.peer = `stdio: ${redactCommand(options.command, options.args)}`;
    this.#options = options;
    this.#spawn = spawn;
    this.#clock = options.clock ?? systemClock;
    this.#secrets = Object.values(options.env ?? {}).flatMap(value => (value ? listSecretTexts(value) : []));
    this.#stderrTail = createStderrTail(createLineListener(options.stderr, this.#secrets));
    this.firstOutput = new Promise(resolve => {
      this.#onFirstOutput = resolve;
    });
  }

  open(receiver: MessageReceiver): Promise<void> {
    this.#receiver = receiver;
    this.#starting = this.#start();
    return this.#starting;
  }

  send(message: JsonRpcMessage | readonly JsonRpcResponse[]): void | Promise<void> {
    if (this.#writer && !this.#closing) return this.#writer.send(message);
    return Promise.reject(new TenonError('connection/closed', 'the connection is not open', { peer: this.peer }));
  }

  close(): Promise<void> {
    return this.#finish();
  }

  takeProgress(): boolean {
    const time = this.#child?.getProcessorTime() ?? this.#processorTime;
    const hasProgress = this.#hasOutput || time - this.#processorTime >= MIN_PROCESSOR_TIME;
    this.#hasOutput = false;
    this.#processorTime = time;
    return hasProgress;
  }

  async #start(): Promise<void> {
    const child = await this.#spawn(this.#options, this.peer, () => this.close());
    this.#child = child;
    this.#writer = createLineWriter(child.input, { peer: this.peer, maxBufferedSize: this.#options.maxBufferedSize });
    child.errors?.read({
      push: bytes => {
        this.#onOutput();
        this.#stderrTail.push(bytes);
      },
      end: () => this.#stderrTail.end(),
    });
    const outputEnded = this.#read(child);
    void child.exited.then(async exit => {
      // Output from before the exit must still be read, but a child of the child process may keep the stream open.
      await waitAtMost(this.#clock, SETTLE_TIMEOUT, outputEnded);
      await this.#finish(createExitError(this.peer, exit, this.#stderrTail, this.#secrets));
    });
    void outputEnded.then(async () => {
      await waitAtMost(this.#clock, SETTLE_TIMEOUT, child.exited);
      if (!child.isRunning()) return;
      const error = new TenonError('stdio/output-closed', 'the server closed its stdout without exiting', {
        peer: this.peer,
        hint: 'check the server, because it is stopped without stdout',
      });
      await this.#finish(error);
    });
  }

  #onOutput(): void {
    this.#hasOutput = true;
    this.#onFirstOutput();
  }

  #read(child: ServerProcess): Promise<void> {
    const redact = (text: string) => redactValues(text, this.#secrets);
    const lines = {
      value: (value: unknown) => this.#receiver?.onMessage(redactErrorResponse(value, redact)),
      onParseError: (error: TenonError, id?: Id) => this.#receiver?.onParseError(error, id),
      onResponseLost: (id: Id, error: TenonError) => this.#receiver?.onResponseLost(id, error),
    };
    const reader = createLineReader(this.peer, lines, { ...this.#options, redact });
    return new Promise(resolve => {
      child.output.read({
        push: bytes => {
          this.#onOutput();
          reader.push(bytes);
        },
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
    // An unexpected exit is reported at once. An exit on request is reported when the process has ended.
    if (error) receiver?.onClose(error);
    await this.#starting?.catch(() => {});
    this.#writer?.end();
    if (this.#child) await this.#stop(this.#child);
    if (!error) receiver?.onClose();
  }

  /**
   * Stops a process whose standard input is closed: it waits, sends SIGTERM, waits, and sends SIGKILL. The signals also
   * reach the processes that it started.
   */
  async #stop(child: ServerProcess): Promise<void> {
    const { exitTimeout = EXIT_TIMEOUT, terminateTimeout = TERMINATE_TIMEOUT } = this.#options;
    // Timers of the clock do not keep the process alive, but the caller of `close` waits for this one.
    const release = child.keepAlive();
    if (!(await waitForExit(child, this.#clock, exitTimeout))) child.terminate();
    if (!(await waitForExit(child, this.#clock, terminateTimeout))) child.kill();
    await waitForExit(child, this.#clock, terminateTimeout);
    release();
  }
}

const POLL_INTERVAL = 20;

async function waitForExit(child: ServerProcess, clock: Clock, ms: number): Promise<boolean> {
  const deadline = clock.elapsed() + ms;
  while (child.isTreeRunning()) {
    if (clock.elapsed() >= deadline) return false;
    if (child.isRunning()) await waitAtMost(clock, POLL_INTERVAL, child.exited);
    else await sleep(clock, POLL_INTERVAL);
  }
  return true;
}

async function waitAtMost(clock: Clock, timeout: number, work: Promise<unknown>): Promise<void> {
  await runWithTimeout(() => work, { clock, timeout, onTimeout: () => undefined });
}

function createLineListener(
  stderr: StdioTransportOptions['stderr'],
  secrets: readonly string[],
): ((line: string) => void) | undefined {
  if (typeof stderr !== 'function') return undefined;
  return line => {
    try {
      stderr(redactValues(line, secrets));
    } catch {
      // An exception of the listener loses its line, but the connection stays open.
    }
  };
}

/** Removes secret texts from the message of an error response. */
function redactErrorResponse(value: unknown, redact: (text: string) => string): unknown {
  if (isObject(value) && isObject(value.error) && typeof value.error.message === 'string')
    return { ...value, error: { ...value.error, message: redact(value.error.message) } };
  return value;
}

function createExitError(peer: string, exit: ProcessExit, tail: StderrTail, secrets: readonly string[]): TenonError {
  tail.end();
  const ending = exit.signal ? `ended by ${exit.signal}` : `exited with code ${exit.code ?? 'unknown'}`;
  const lines = tail.getLines().map(line => redactValues(line, secrets));
  const stderrText = lines.length === 0 ? 'nothing on stderr' : `last lines of stderr:\n  ${lines.join('\n  ')}`;
  return new TenonError('stdio/exited', `the server ${ending}: ${stderrText}`, {
    peer,
    hint:
      lines.length === 0
        ? 'run the command in a terminal to see the problem: a working server waits for input without output'
        : 'correct the problem that these lines describe',
  });
}
