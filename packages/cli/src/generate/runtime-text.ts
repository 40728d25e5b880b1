/** Part of the generated program that is the same for all servers. It has neither backticks nor placeholders. */
export const RUNTIME = String.raw`const EXIT = { success: 0, failure: 1, usage: 2, unauthorized: 3, unreachable: 4, toolError: 5, refused: 6, timeout: 8, interrupted: 130 };

class UsageError extends Error {}

/** Aborted by Ctrl-C and SIGTERM. */
const controller = new AbortController();

/** @param {Record<string, string | undefined>} variables */
function omitUnset(variables) {
  /** @type {Record<string, string>} */
  const set = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) set[name] = value;
  return set;
}

/** @param {string} name */
function readVariable(name) {
  const value = process.env[name];
  if (value === undefined) throw new UsageError('the environment variable ' + name + ' is not set');
  return value;
}

/** @param {string[]} args */
async function main(args) {
  const [word, ...rest] = args;
  if (word === '--version') return print(VERSION);
  if (word === undefined || word === 'help' || word === '--help' || word === '-h') {
    print(formatHelp());
    return word === undefined ? EXIT.usage : EXIT.success;
  }
  const command = commands.find(({ name, tool }) => name === word || tool === word);
  if (!command) throw new UsageError('unknown command: ' + word);
  const values = parse(command, rest);
  if (values.help) return print(formatCommandHelp(command));
  return call(command, readInput(command, values), values.json === true);
}

/** @param {Command} command @param {string[]} args @returns {Record<string, unknown>} */
function parse({ options }, args) {
  /** @type {Record<string, { type: 'string' | 'boolean', multiple?: boolean, short?: string }>} */
  const config = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' }, input: { type: 'string' } };
  for (const { name, type, list = false } of options)
    config[name] = { type: type === 'boolean' && !list ? 'boolean' : 'string', multiple: list };
  try {
    return parseArgs({ args, options: config, allowNegative: true, strict: true }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @param {Command} command @param {Record<string, unknown>} values @returns {Record<string, unknown>} */
function readInput({ options }, values) {
  const given = values.input === undefined ? {} : parseJson('input', readText(String(values.input)));
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new UsageError('--input: expected a JSON object');
  /** @type {[string, unknown][]} */
  const entries = Object.entries(given);
  for (const option of options) {
    const value = values[option.name];
    if (value === undefined) {
      if (option.required && !entries.some(([name]) => name === option.property)) throw new UsageError('--' + option.name + ' is required');
    } else entries.push([option.property, Array.isArray(value) ? value.map(each => convert(option, each)) : convert(option, value)]);
  }
  return Object.fromEntries(entries);
}

/** @param {Option} option @param {unknown} value */
function convert({ name, type, choices }, value) {
  if (typeof value === 'boolean') return value;
  const text = String(value);
  if (type === 'json') return parseJson(name, readText(text));
  const converted = convertText(name, type, text);
  if (choices && !choices.some(each => each === converted)) throw new UsageError('--' + name + ': expected ' + choices.join(', '));
  return converted;
}

/** @param {string} name @param {string} type @param {string} text */
function convertText(name, type, text) {
  if (type === 'string') return text;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const number = Number(text);
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text.trim()) && (type !== 'integer' || Number.isInteger(number));
  if (type !== 'boolean' && isNumber) requireExact(name, text.trim());
  if (type === 'boolean' || !isNumber) throw new UsageError('--' + name + ': expected ' + type + ', got ' + JSON.stringify(text));
  return number;
}

/** Reads JSON from standard input for "-", and from a file for "@PATH". @param {string} text */
function readText(text) {
  if (text !== '-' && !text.startsWith('@')) return text;
  try {
    // Some editors and shells write a byte order mark.
    return readFileSync(text === '-' ? 0 : text.slice(1), 'utf8').replace(/^\uFEFF/, '');
  } catch {
    throw new UsageError('cannot read ' + text);
  }
}

/** @param {string} name @param {string} text @returns {unknown} */
function parseJson(name, text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError('--' + name + ': expected JSON');
  }
  requireExact(name, text);
  return value;
}

/** Refuses integers that a number cannot represent. @param {string} name @param {string} json */
function requireExact(name, json) {
  const pattern = /"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
  for (let found = pattern.exec(json); found !== null; found = pattern.exec(json)) {
    const [token] = found;
    if (token === '"') pattern.lastIndex = findStringEnd(json, found.index);
    else if (isChanged(token)) throw new UsageError('--' + name + ': the integer ' + token.slice(0, 40) + ' cannot be sent exactly');
  }
}

/** Returns the position after a string. An expression for a whole string overflows the stack on a long one. @param {string} json @param {number} start */
function findStringEnd(json, start) {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let first = quote;
    while (json[first - 1] === '\\') first -= 1;
    if ((quote - first) % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Tells if JSON would write another number after this one was read. The last digits of a fraction do not count. @param {string} token */
function isChanged(token) {
  const number = Number(token);
  const { digits, power } = toDecimal(token);
  if (digits === '') return false;
  if (number === 0 || !Number.isFinite(number)) return true;
  const written = toDecimal(String(number));
  return power >= 0 && (written.digits !== digits || written.power !== power);
}

/** Splits a number into its digits, without zeros at the ends, and the power of ten of the last digit. @param {string} token */
function toDecimal(token) {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/.exec(token) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return { digits, power: Number(exponent) - fraction.length + all.length - digits.length };
}

/** @param {Command} command @param {Record<string, unknown>} input @param {boolean} json */
async function call({ tool }, input, json) {
  let isConnected = false;
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    if (!isConnected) void end(EXIT.interrupted);
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // Some servers offer tools that ask questions only to clients that can be asked.
  const elicit = () => ({ action: /** @type {const} */ ('cancel') });
  const client = await connect(getTarget(), { name: PROGRAM, version: VERSION, elicit, elicitUrl: elicit });
  isConnected = true;
  try {
    const result = await client.callTool(tool, input, { signal: controller.signal, onProgress: showProgress });
    if (json) print(writeJson(result));
    else printResult(result);
    if (!result.isError) return EXIT.success;
    return result._meta?.['dev.tenon/policy'] === 'denied' ? EXIT.refused : EXIT.toolError;
  } finally {
    await client.close();
  }
}

/** Ends the program after the server that it started has stopped. @param {number} code */
async function end(code) {
  const { stopServerProcesses } = await import('tenon/node');
  await stopServerProcesses();
  process.exit(code);
}

/** @param {{ progress: number, total?: number | undefined, message?: string | undefined }} progress */
function showProgress({ progress, total, message }) {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[2K' + escapeForTerminal([progress, total].join('/') + ' ' + (message ?? '')).replace(/[\n\t]/g, ' ').slice(0, 79));
}

/** @param {import('tenon').CallToolResult} result */
function printResult({ content, structuredContent, isError }) {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[2K');
  const texts = content.map(block => (block.type === 'text' ? block.text : '[' + block.type + ': see --json]'));
  const text = structuredContent === undefined ? texts.join('\n') : writeJson(structuredContent, 2);
  if (isError) console.error(escapeForTerminal(text));
  else print(process.stdout.isTTY ? escapeForTerminal(text) : text);
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text + '\n');
  return EXIT.success;
}

function formatHelp() {
  const rows = commands.map(({ name, description }) => [name, (description.split('. ')[0] ?? '').slice(0, 100)]);
  return [
    'Usage: ' + PROGRAM + ' COMMAND [options]',
    'Calls the tools of the MCP server ' + TITLE + ' ' + VERSION + '.',
    'Commands:\n' + formatRows(rows),
    'Help of a command: ' + PROGRAM + ' COMMAND --help',
    ...(Object.keys(VARIABLES).length > 0 ? ['Environment variables:\n' + formatRows(Object.entries(VARIABLES))] : []),
    'Exit codes: 0 success, 1 failure, 2 usage, 3 needs authorization, 4 unreachable, 5 error of the tool, 6 denied, 8 timeout',
  ].join('\n\n');
}

/** @param {Command} command */
function formatCommandHelp({ name, description, options }) {
  const optionRows = options.map(option => [formatOption(option), formatDescription(option)]);
  const rows = [...optionRows, ['--input JSON', 'all arguments as a JSON object; @PATH reads a file, - standard input'], ['--json', 'print the result as JSON'], ['-h, --help', 'show this help']];
  return ['Usage: ' + PROGRAM + ' ' + name + ' [options]', ...(description ? [description] : []), 'Options:\n' + formatRows(rows)].join('\n\n');
}

/** @param {Option} option */
function formatOption({ name, type, list }) {
  if (type === 'boolean' && !list) return '--' + name + ', --no-' + name;
  return '--' + name + ' ' + type.toUpperCase() + (list ? '…' : '');
}

/** @param {Option} option */
function formatDescription({ description, required, choices, list }) {
  const notes = [required ? 'required' : '', list ? 'repeatable' : '', choices ? 'one of ' + choices.join(', ') : ''].filter(Boolean);
  return [description, notes.length > 0 ? '(' + notes.join('; ') + ')' : ''].filter(Boolean).join(' ');
}

/** @param {string[][]} rows */
function formatRows(rows) {
  const width = Math.max(0, ...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => ('  ' + left.padEnd(width) + '   ' + right).trimEnd()).join('\n');
}

/** @param {unknown} error */
function report(error) {
  if (error instanceof UsageError) {
    console.error(PROGRAM + ': ' + escapeForTerminal(error.message) + ' (see --help)');
    return EXIT.usage;
  }
  if (controller.signal.aborted) return EXIT.interrupted;
  const { code, message, status, data } = TenonError.from(error);
  console.error(PROGRAM + ': ' + escapeForTerminal(message));
  if (typeof data === 'object' && data !== null && 'policy' in data && data.policy === 'denied') return EXIT.refused;
  if (status === 401 || status === 403) return EXIT.unauthorized;
  return EXIT_BY_CODE.find(([start]) => code.startsWith(start))?.[1] ?? EXIT.failure;
}

// The reader of a pipe may close it early, as "head" does.
process.stdout.on('error', () => void end(EXIT.success));
process.exitCode = await main(process.argv.slice(2)).catch(report);
`;
