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
  /** Time that the doctor waits for a response that never comes, in milliseconds. */
  readonly timeout?: number;
  /** True if another fault of the list, or a test beside the doctor, leads to the same findings. Only full runs try it. */
  readonly isRepeated?: boolean;
  /** The only version that the doctor uses. */
  readonly protocolVersion?: string;
}

export const stdioFaults: readonly SeededStdioFault[] = [
  { fault: 'missing-module', title: 'a module is missing', found: ['connection.failed'], text: /no-such-module-here/ },
  {
    fault: 'usage',
    isRepeated: true,
    title: 'an argument is missing',
    found: ['connection.failed'],
    text: /Usage: server --token TOKEN/,
  },
  { fault: 'echo', title: 'the program repeats its input', found: ['connection.failed'], text: /not an MCP server/ },
  {
    fault: 'silent',
    timeout: 1_000,
    title: 'the program says nothing',
    found: ['connection.failed'],
    text: /timed out/,
  },
  {
    fault: 'framing',
    timeout: 5_000,
    title: 'messages have the headers of the Language Server Protocol',
    found: ['connection.failed', 'stdio.noise'],
    text: /Content-Length/,
  },
  {
    fault: 'pretty',
    isRepeated: true,
    timeout: 5_000,
    title: 'messages have several lines',
    found: ['connection.failed', 'stdio.noise'],
  },
  { fault: 'null-ids', isRepeated: true, timeout: 5_000, title: 'responses lack the id', found: ['connection.failed'] },
  {
    fault: 'exit-on-unknown',
    title: 'the process ends on an unknown method',
    found: ['versions.2026-07-28', 'stdio.ended'],
  },
  { fault: 'banner', title: 'a banner before the messages', found: ['stdio.noise'], text: /Server is running/ },
  { fault: 'colors', isRepeated: true, title: 'a colored banner', found: ['stdio.noise'], text: /ready/ },
  {
    fault: 'logs',
    isRepeated: true,
    title: 'logs between the messages',
    found: ['stdio.noise'],
    text: /got initialize|got server/,
  },
  {
    fault: 'stays',
    isRepeated: true,
    protocolVersion: '2025-11-25',
    title: 'the process ignores the end of its input',
    found: ['stdio.exit'],
  },
  {
    fault: 'crash',
    title: 'the process ends while it lists tools',
    found: ['stdio.ended'],
    text: /exited with code 3/,
  },
  {
    fault: 'future-version',
    title: 'the answer has a version that nobody knows',
    found: ['connection.failed'],
    text: /2099-01-01/,
  },
  {
    fault: 'no-name',
    isRepeated: true,
    title: 'the server has no name',
    found: ['connection.failed'],
    text: /serverInfo/,
  },
  { fault: 'null-members', title: 'optional members are null', found: ['connection.deviation'], text: /null/ },
  {
    fault: 'list-output',
    title: 'an output schema is one of a list',
    found: ['schemas.form'],
    text: /outputSchema.type/,
  },
  {
    fault: 'true-property',
    title: 'a property has true for a schema',
    found: ['schemas.form'],
    text: /properties.any/,
  },
  { fault: 'missing-list', title: 'the result has no list', found: ['connection.deviation'], text: /no tools/ },
  {
    fault: 'string-ids',
    isRepeated: true,
    title: 'ids are returned as texts',
    found: ['connection.deviation'],
    text: /id/,
  },
  {
    fault: 'no-jsonrpc',
    isRepeated: true,
    title: 'responses lack jsonrpc',
    found: ['connection.failed'],
    text: /jsonrpc/,
  },
  {
    fault: 'undeclared',
    title: 'tools are served, but not declared',
    found: ['connection.undeclared-tools'],
    text: /tools/,
  },
  {
    fault: 'no-log-level',
    title: 'logging is declared, but its method is missing',
    found: ['connection.log-level'],
    text: /logging\/setLevel/,
  },
  { fault: 'no-ping', title: 'ping is not answered', found: ['versions.ping'], text: /ping/ },
  {
    fault: 'call-error',
    title: 'a tool fails',
    found: ['calls.look_up'],
    calls: ['look_up'],
    text: /database is down/,
  },
  {
    fault: 'data-url',
    title: 'an image is a data URL',
    found: ['calls.look_up'],
    calls: ['look_up'],
    text: /content\.0\.data/,
  },
  {
    fault: 'no-content',
    isRepeated: true,
    title: 'the content of a result is a text',
    found: ['calls.look_up'],
    calls: ['look_up'],
  },
];
