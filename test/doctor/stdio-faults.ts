/** A fault of a server on standard streams, and the findings that name it. */
export interface SeededStdioFault {
  /** Argument of the program. */
  readonly fault: string;
  readonly title: string;
  readonly found: readonly string[];
  /** Text that the report has, such as the cause. */
  readonly text?: RegExp;
  /** Tools that the doctor calls. */
  readonly calls?: readonly string[];
}

export const stdioFaults: readonly SeededStdioFault[] = [
  { fault: 'missing-module', title: 'a module is missing', found: ['connection.failed'], text: /no-such-module-here/ },
  {
    fault: 'usage',
    title: 'an argument is missing',
    found: ['connection.failed'],
    text: /Usage: server --token TOKEN/,
  },
  { fault: 'echo', title: 'the program repeats its input', found: ['connection.failed'], text: /not an MCP server/ },
  { fault: 'silent', title: 'the program says nothing', found: ['connection.failed'], text: /timed out/ },
  {
    fault: 'framing',
    title: 'messages have the headers of the Language Server Protocol',
    found: ['connection.failed', 'stdio.noise'],
    text: /Content-Length/,
  },
  { fault: 'pretty', title: 'messages have several lines', found: ['connection.failed', 'stdio.noise'] },
