import { randomUUID } from 'node:crypto';
import { escapeForTerminal, writeJson } from '@tenon/base/writers';

/** Output of a command. Servers choose parts of many texts, so control characters and invisible characters are escaped. */
export interface Screen {
  /** Writes the result of the command to standard output. */
  print(text: string): void;
  /** Writes data that a server returned to standard output, and a line break. Only a terminal gets it with escapes. */
  printData(text: string): void;
  /** Writes a result as one line of JSON to standard output. */
  printJson(value: unknown): void;
  /** Writes bytes to standard output. */
  printBytes(bytes: Uint8Array): void;
  /**
   * Writes a message for the user to standard error.
   *
   * @param level Level of the message, which only JSON contains.
   * @default level `info`
   */
  note(text: string, level?: NoteLevel): void;
  /** Writes one line of JSON to standard error. */
  noteJson(value: unknown): void;
  /** Writes messages for the user as lines of JSON from then on: `{"level":"info","message":"…"}`. */
  useJson(): void;
  /**
   * Writes one line with time and level for each message from then on, because a server begins to run. With `json`,
   * the lines are JSON.
   */
  startLog(options: { readonly json: boolean }): void;
  /** Writes an event of a running server: as one line of JSON to standard output. Adds time and level. */
  printEvent<E extends LogEvent>(event: E, level?: NoteLevel): void;
  /** True if events and messages are lines of JSON. */
  readonly logsJson: boolean;
  /** Reserves standard output for a protocol. Results are written to standard error from then on. */
  releaseStdout(): void;
  /** True if standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Makes text bold or dim. Returns it unchanged where standard output is no terminal, and with `NO_COLOR`. */
  style(format: 'bold' | 'dim', text: string): string;
  /**
   * Replaces the last line of standard error, if it is a terminal. `''` clears it. Otherwise nothing is written.
   */
  showStatus(text: string): void;
  /**
   * Holds back all output to a terminal until the returned function is called, because it would garble an open prompt.
   */
  holdOutput(): () => void;
  /** Writes nothing from then on, because a signal ends the process. */
  mute(): void;
}

export type NoteLevel = 'debug' | 'info' | 'warning' | 'error';

/** Event of a running server. Each event has members of its own. */
export interface LogEvent {
  readonly event: string;
}

/** Members of each event of a running server. */
export interface LogFields {
  /** Time in ISO 8601. */
  readonly time: string;
  readonly level: NoteLevel;
}

/** Message for the user, as `--json` writes it to standard error. */
export interface NoteLine {
  /** Time in ISO 8601. Only a running server writes it. */
  readonly time?: string;
  /** `debug`: a message of the protocol, with `--verbose`. */
  readonly level: NoteLevel;
  readonly message: string;
}

export interface TextOutput {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const STYLES = { bold: 1, dim: 2, end: 22 } as const;
const CLEAR_LINE = '\r\u001b[2K';
const DEFAULT_COLUMNS = 80;

export interface ScreenOptions {
  /**
   * Switches colours and styles off, also on a terminal.
   * @default `false`
   */
  readonly noColor?: boolean;
  /**
   * Returns the time of log lines, in milliseconds.
   * @default `Date.now`
   */
  readonly now?: () => number;
}

export function createScreen(
  output: TextOutput,
  errors: TextOutput,
  { noColor = false, now = Date.now }: ScreenOptions = {},
): Screen {
  let resultOutput = output;
  let hasStatus = false;
  let holds = 0;
  const held: (() => void)[] = [];
  let isJson = false;
  let isLog = false;
  let eventsAreJson = false;
  let isMuted = false;
  const getTime = () => new Date(now()).toISOString();
  const isTerminal = output.isTTY === true;
  // Nobody else knows this text, so that a server cannot write a style of its own.
  const mark = `[${randomUUID()}:`;
  const writeStyle = (code: number) => `${mark}${code}]`;
  const applyStyles = (text: string) =>
    text.split(mark).reduce((shown, part) => shown + part.replace(/^(\d+)\]/, '\u001b[$1m'));
  const write = (stream: TextOutput, text: string | Uint8Array) => {
    if (isMuted) return;
    if (holds > 0 && stream.isTTY) held.push(() => stream.write(text));
    else stream.write(text);
  };
  const showStatus = (text: string) => {
    if (errors.isTTY !== true || isMuted || holds > 0 || (text === '' && !hasStatus)) return;
    hasStatus = text !== '';
    const line = escapeForTerminal(text).replace(/[\n\t]/g, ' ');
    errors.write(CLEAR_LINE + line.slice(0, (errors.columns || DEFAULT_COLUMNS) - 1));
  };
  const writeNote = (text: string) => {
    showStatus('');
    write(errors, `${text}\n`);
  };
  const note = (text: string, level: NoteLevel = 'info') => {
    const line = createNoteLine(text, level);
    if (isJson) writeNote(writeJson(isLog ? { time: getTime(), ...line } : line));
    else if (isLog) writeNote(escapeForTerminal(`${getTime()} ${level} ${line.message.replace(/\s*\n\s*/g, ' | ')}`));
    else writeNote(escapeForTerminal(text));
  };
  const printEvent = <E extends LogEvent>(event: E, level: NoteLevel = 'info') =>
    write(resultOutput, `${writeJson({ time: getTime(), level, ...event })}\n`);
  return {
    isTerminal,
    style: (format, text) =>
      isTerminal && !noColor ? writeStyle(STYLES[format]) + text + writeStyle(STYLES.end) : text,
    showStatus,
    print: text => write(resultOutput, `${applyStyles(escapeForTerminal(text))}\n`),
    printData: text => write(resultOutput, `${resultOutput.isTTY ? escapeForTerminal(text) : text}\n`),
    printJson: value => write(resultOutput, `${writeJson(value)}\n`),
    printBytes: bytes => write(resultOutput, bytes),
    note,
    printEvent,
    startLog({ json }) {
      isLog = true;
      isJson ||= json;
      eventsAreJson = json;
    },
    get logsJson() {
      return eventsAreJson;
    },
    noteJson: value => writeNote(writeJson(value)),
    useJson() {
      isJson = true;
    },
    holdOutput() {
      showStatus('');
      holds += 1;
      return () => {
        holds -= 1;
        if (holds === 0) for (const writeHeld of held.splice(0)) writeHeld();
      };
    },
    releaseStdout() {
      resultOutput = errors;
    },
    mute() {
      showStatus('');
      isMuted = true;
    },
  };
}

/** Creates the line of JSON for a message. The text does not repeat the level. */
const createNoteLine = (text: string, level: NoteLevel): NoteLine => ({
  level,
  message: text.trim().replace(new RegExp(`^${level}: `), ''),
});

/** Formats a number of things: `1 change`, `2 changes`. */
export const formatCount = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Formats rows as columns of even width. The last column is not padded. */
export function formatColumns(rows: readonly (readonly string[])[], indent = '  '): string {
  const count = Math.max(0, ...rows.map(row => row.length));
  const widths = Array.from({ length: count }, (_, index) => Math.max(0, ...rows.map(row => row[index]?.length ?? 0)));
  return rows
    .map(
      row =>
        indent +
        row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('   '),
    )
    .map(line => line.trimEnd())
    .join('\n');
}
