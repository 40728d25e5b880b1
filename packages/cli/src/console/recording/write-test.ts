import { chooseName, isObject, type JsonObject, toJsonObject } from '@tenon/base';
import { writeIdentifier, writeLineComment, writeStringLiteral } from '@tenon/base/writers';
import type { CallView, WireRow } from '@tenon/console/api';
import type { MessageFault } from '@tenon/testing';
import { type CallOutcome, MAX_PROGRESS } from '../console-calls.js';
import { writeValue } from '../copy/write-typescript.js';
import { findTestTimeout, type WrittenFaults, writeFaults } from './write-faults.js';

/** A line of the recording in a test, and its row. */
export interface TestedMessage {
  readonly row: WireRow;
  readonly message: JsonObject;
  readonly fault: MessageFault | undefined;
}

/** A call with the messages of its connection that a replay needs. */
export interface TestedCall {
  readonly call: CallView;
  /** The params without secrets. */
  readonly params: JsonObject;
  readonly messages: readonly TestedMessage[];
  readonly outcome: CallOutcome;
  /** True if its server is at a URL. */
  readonly isHttp: boolean;
}

/** Input that the server requested, and the response of the user. */
interface InputRound {
  readonly method: string;
  readonly params: JsonObject;
  readonly response: unknown;
}

/** Maximum length of a text in the title of a test. */
const MAX_TITLE = 60;
/** Handlers of a client by the method that they respond to. */
const HANDLERS: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicit',
  'sampling/createMessage': 'sample',
  'roots/list': 'roots',
};

/** Writes a test file for Vitest. It replays each call without the server. */
export function writeTest(calls: readonly TestedCall[]): string {
  const used = new Set<string>();
  const written = calls.map(recorded => writeOne(recorded, createName(recorded.call, used)));
  const faults = written.flatMap(each => each.faults ?? []);
  const names = new Set(['createReplayServer', ...faults.flatMap(({ imports }) => imports)]);
  const isServed = faults.some(({ needsHttp }) => needsHttp);
  return `${[
    `import { ${[...names].sort().join(', ')} } from '@tenon/testing';`,
    "import { connect } from 'tenon';",
    ...(isServed ? ["import { serveHttp } from 'tenon/node';"] : []),
    `import { expect, it${isServed ? ', onTestFinished' : ''} } from 'vitest';`,
  ].join(
    '\n',
  )}\n\n${written.map(({ test }) => test).join('\n')}\n${written.map(({ recording }) => recording).join('\n')}`;
}

function createName({ name, method }: CallView, names: Set<string>): string {
  const words = writeIdentifier(name === '' ? method : name);
  const base = `${words.charAt(0).toLowerCase()}${words.slice(1)}Recording`;
  const created = chooseName(base, '', used => names.has(used));
  names.add(created);
  return created;
}

interface WrittenTest {
  readonly test: string;
  readonly recording: string;
  readonly faults: WrittenFaults | undefined;
}

function writeOne(recorded: TestedCall, name: string): WrittenTest {
  const { call, params, outcome } = recorded;
  const own = recorded.messages.filter(({ row }) => row.call === call.id);
  const last = own.findLast(({ row }) => row.kind === 'result' || row.kind === 'error')?.message ?? {};
  const rounds = listRounds(own.map(({ message }) => message));
  const faults = writeFaults(recorded);
  const result = faults ? outcome.result : last.result;
  const hasProgress = faults !== undefined && own.some(({ row }) => row.method === 'notifications/progress');
  const isKnown = faults?.changesTimes !== true && outcome.progress.length < MAX_PROGRESS;
  const timeout = findTestTimeout(outcome.error);
  const statement = writeCall(call.method, params, [
    ...(hasProgress ? ['onProgress: each => progress.push(each)'] : []),
    ...(timeout === undefined ? [] : [`idleTimeout: ${timeout}`]),
  ]);
  const options = writeOptions(call.protocolVersion, rounds, faults);
  const error = faults || last.error === undefined ? writeOutcomeError(outcome) : writeError(last.error);
  const expectations = isObject(result)
    ? [`  const result = await client.${statement};`, '', ...writeExpectations(result)]
    : [`  await expect(client.${statement}).rejects.toMatchObject(${error});`];
  const needsHttp = faults?.needsHttp === true;
  const shown = faults ? { ...outcome, condition: faults.condition } : last;
  const test = [
    `it(${writeStringLiteral(writeTitle(call, rounds, shown))}, async () => {`,
    `  const server = createReplayServer(${name});`,
    ...(needsHttp
      ? ['  const served = await serveHttp(server, { port: 0 });', '  onTestFinished(() => served.close());']
      : []),
    ...options.before,
    ...(hasProgress ? ['  const progress = [];'] : []),
    `  await using client = await connect(${needsHttp ? 'served.url' : 'server'}, ${options.text});`,
    '',
    ...expectations,
    ...(hasProgress && isKnown ? [`  expect(progress).toEqual(${writeValue(outcome.progress, 2)});`] : []),
    '  expect(server.mismatches).toEqual([]);',
    '});',
    '',
  ].join('\n');
  const lines = recorded.messages.map(({ row, message, fault }) =>
    writeValue(
      {
        ...message,
        _meta: { dir: row.from === 'client' ? 'send' : 'recv', server: row.server, ...(fault ? { fault } : {}) },
      },
      2,
    ),
  );
  const day = new Date(call.startedAt).toISOString().slice(0, 10);
  const comment = writeLineComment(`Messages between the client and the server ${call.server} on ${day}.`);
  const recording = [
    `// ${comment}`,
    `const ${name} = [`,
    ...lines.map(line => `  ${line},`),
    ']',
    '  .map(message => JSON.stringify(message))',
    "  .join('\\n');",
    '',
  ].join('\n');
  return { test, recording, faults };
}

/** Lists the input requests of a call: requests of the server, or results that ask for input before the next request. */
function listRounds(messages: readonly JsonObject[]): InputRound[] {
  const rounds: InputRound[] = [];
  for (const [index, { method, params, id, result }] of messages.entries()) {
    if (typeof method === 'string' && Object.hasOwn(HANDLERS, method) && id !== undefined) {
      const response = messages.slice(index).find(each => each.method === undefined && each.id === id);
      rounds.push({ method, params: toJsonObject(params), response: response?.result });
    }
    if (!isObject(result) || !isObject(result.inputRequests)) continue;
    const next = messages.slice(index).find(each => isObject(each.params) && isObject(each.params.inputResponses));
    const responses = toJsonObject(toJsonObject(next?.params).inputResponses);
    for (const [key, request] of Object.entries(result.inputRequests)) {
      const { method: wanted, params: own } = toJsonObject(request);
      if (typeof wanted === 'string')
        rounds.push({ method: wanted, params: toJsonObject(own), response: responses[key] });
    }
  }
  return rounds;
}

function writeTitle(
  { name, method }: CallView,
  rounds: readonly InputRound[],
  { result, error, condition }: { readonly result?: unknown; readonly error?: unknown; readonly condition?: string },
): string {
  const subject = name === '' ? method : name;
  const [round] = rounds;
  const message = round && typeof round.params.message === 'string' ? ` (${shorten(round.params.message)})` : '';
  const asks = round ? `requests input${message}, and ` : '';
  const when = condition === undefined ? '' : ` ${condition}`;
  if (error) {
    const { message, code } = toJsonObject(error);
    return `${subject}: ${asks}fails with ${shorten(String(message ?? code))}${when}`;
  }
  const { content, isError } = toJsonObject(result);
  const [first] = Array.isArray(content) ? content : [];
  const text = toJsonObject(first).text;
  const shown = typeof text === 'string' ? JSON.stringify(shorten(text)) : 'the recorded result';
  return `${subject}: ${asks}${isError === true ? 'reports the error' : 'returns'} ${shown}${when}`;
}

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
};

function writeOptions(
  protocolVersion: string,
  rounds: readonly InputRound[],
  faults: WrittenFaults | undefined,
): { readonly before: readonly string[]; readonly text: string } {
  const before: string[] = [];
  // To validate results, a client lists the tools, and the recording has only the call.
  const members = [`protocolVersion: ${writeStringLiteral(protocolVersion)}`, "validate: 'off'"];
  for (const method of new Set(rounds.map(each => each.method))) {
    const own = rounds.filter(each => each.method === method);
    const isUrl = own.every(({ params }) => params.mode === 'url');
    const handler = isUrl ? 'elicitUrl' : (HANDLERS[method] ?? '');
    const responses = own.map(({ response }) => {
      const { resultType: _, ...rest } = toJsonObject(response);
      return method === 'roots/list' ? (rest.roots ?? []) : rest;
    });
    const message = own.length === 1 && method === 'elicitation/create' ? own[0]?.params.message : undefined;
    if (typeof message === 'string')
      members.push(
        [
          `${handler}({ message }) {`,
          `      expect(message).toBe(${writeStringLiteral(message)});`,
          `      return ${writeValue(responses[0], 6)};`,
          '    }',
        ].join('\n'),
      );
    else if (responses.length === 1) members.push(`${handler}: () => (${writeValue(responses[0], 4)})`);
    else {
      before.push(`  const ${handler}Responses = ${writeValue(responses, 2)};`);
      members.push(`${handler}: () => ${handler}Responses.shift()`);
    }
  }
  if (faults) members.push(faults.option);
  const isShort = members.length === 2;
  return {
    before,
    text: isShort ? `{ ${members.join(', ')} }` : `{\n${members.map(each => `    ${each},\n`).join('')}  }`,
  };
}

function writeCall(method: string, params: JsonObject, options: readonly string[]): string {
  const { name, uri, arguments: args } = params;
  const more = options.length === 0 ? '' : `, { ${options.join(', ')} }`;
  const hasArguments = isObject(args) && Object.keys(args).length > 0;
  const rest = `${hasArguments ? `, ${writeValue(args, 2)}` : more === '' ? '' : ', {}'}${more}`;
  if (method === 'tools/call' && typeof name === 'string') return `callTool(${writeStringLiteral(name)}${rest})`;
  if (method === 'prompts/get' && typeof name === 'string') return `getPrompt(${writeStringLiteral(name)}${rest})`;
  if (method === 'resources/read' && typeof uri === 'string') return `readResource(${writeStringLiteral(uri)}${more})`;
  return `call(${writeStringLiteral(method)}, ${writeValue(params, 2)}${more})`;
}

/** Members of results that depend on the protocol version or the cache. */
const OTHER_MEMBERS = new Set(['resultType', '_meta', 'ttlMs', 'cacheScope']);

function writeExpectations(result: JsonObject): string[] {
  const members = Object.entries(result).filter(([name]) => !OTHER_MEMBERS.has(name));
  if (members.length === 0) return ['  expect(result).toBeDefined();'];
  return members.map(([name, value]) => `  expect(result.${name}).toEqual(${writeValue(value, 2)});`);
}

function writeError(error: unknown): string {
  const { code } = toJsonObject(error);
  return typeof code === 'number' ? `{ rpcCode: ${code} }` : '{}';
}

/** Writes the error that the caller got. */
function writeOutcomeError({ error }: CallOutcome): string {
  if (!error) return '{}';
  const { code, rpcCode } = error;
  return `{ code: ${writeStringLiteral(code)}${rpcCode === undefined ? '' : `, rpcCode: ${rpcCode}`} }`;
}
