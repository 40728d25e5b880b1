import { EXIT_CODES_HELP } from './exit-codes.js';
import { formatExamples } from './options/create-command.js';
import { type CommandName, commandGroups, dailyCommands, summaries } from './summaries.js';

/** Maximum width of the help, in columns. */
const WIDTH = 80;
const USAGE = `Usage: tenon COMMAND [options]

Call, list, serve and guard MCP servers.
`;
const EXAMPLES = [
  ['tenon list https://example.com/mcp', 'the tools of a server at a URL'],
  ['tenon call https://example.com/mcp add a=2 b=3', 'call one of them'],
  ['tenon list -- node server.js', 'a server that a command starts'],
] as const;

/** Formats the first page of the help: the daily commands, and the names of the others by their purpose. */
export function formatFirstPage(): string {
  const isDaily = (name: CommandName) => dailyCommands.some(each => each === name);
  const others = Object.entries(commandGroups).map(
    ([group, names]) => [group, names.filter(name => !isDaily(name)).join(', ')] as const,
  );
  return `${USAGE}
Daily jobs:
${formatRows(dailyCommands.map(name => [name, summaries[name]]))}

More commands:
${formatRows(others)}
${formatExamples(EXAMPLES)}

Options:
${formatRows([
  ['-h, --help', 'show this page, or the options of a command: tenon call --help'],
  ['--version', 'print the version'],
])}

\`tenon help --all\` describes all commands and the exit codes.
`;
}

/** Formats the summaries of all commands, and the exit codes. */
export function formatAllCommands(): string {
  const groups = Object.entries(commandGroups).map(
    ([group, names]) => `${group}:\n${formatRows(names.map(name => [name, summaries[name]]))}\n`,
  );
  return [USAGE, ...groups].join('\n') + EXIT_CODES_HELP;
}

/** Formats pairs in two columns, and wraps the second one. */
function formatRows(rows: readonly (readonly [string, string])[]): string {
  const indent = Math.max(...rows.map(([first]) => first.length)) + 4;
  return rows.map(([first, second]) => `  ${first}`.padEnd(indent) + wrap(second, indent)).join('\n');
}

/** Breaks a text into lines of the width that is left beside an indent. */
function wrap(text: string, indent: number): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= WIDTH - indent)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
