import { chooseName, isObject, type JsonObject } from '@tenon/base';
import { writeIdentifier, writeLineComment, writeStringLiteral } from '@tenon/base/writers';
import type { CallView, WireRow } from '@tenon/console/api';
import { toJsonObject } from '../../json-object.js';
import { writeValue } from '../copy/write-typescript.js';

/** A call with the messages of its connection that a replay needs. */
export interface TestedCall {
  readonly call: CallView;
  /** The params without secrets. */
  readonly params: JsonObject;
  /** Lines of the recording, and the row of each. */
  readonly messages: readonly { readonly row: WireRow; readonly message: JsonObject }[];
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
  const names = new Set<string>();
  const written = calls.map(recorded => writeOne(recorded, createName(recorded.call, names)));
  return `${[
    "import { createReplayServer } from '@tenon/testing';",
    "import { connect } from 'tenon';",
    "import { expect, it } from 'vitest';",
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

function writeOne(recorded: TestedCall, name: string): { readonly test: string; readonly recording: string } {
  const { call, params } = recorded;
  const own = recorded.messages.filter(({ row }) => row.call === call.id);
  const last = own.findLast(({ row }) => row.kind === 'result' || row.kind === 'error')?.message ?? {};
  const rounds = listRounds(own.map(({ message }) => message));
  const result = isObject(last.result) ? last.result : undefined;
  const statement = writeCall(call.method, params);
  const options = writeOptions(call.protocolVersion, rounds);
  const expectations = result
    ? [`  const result = await client.${statement};`, '', ...writeExpectations(result)]
    : [`  await expect(client.${statement}).rejects.toMatchObject(${writeError(last.error)});`];
  const test = [
    `it(${writeStringLiteral(writeTitle(call, rounds, last))}, async () => {`,
    `  const server = createReplayServer(${name});`,
    ...options.before,
    `  await using client = await connect(server, ${options.text});`,
    '',
    ...expectations,
    '  expect(server.mismatches).toEqual([]);',
    '});',
    '',
  ].join('\n');
  const lines = recorded.messages.map(({ row, message }) =>
    writeValue({ ...message, _meta: { dir: row.from === 'client' ? 'send' : 'recv', server: row.server } }, 2),
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
  return { test, recording };
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

function writeTitle({ name, method }: CallView, rounds: readonly InputRound[], { result, error }: JsonObject): string {
  const subject = name === '' ? method : name;
  const [round] = rounds;
  const message = round && typeof round.params.message === 'string' ? ` (${shorten(round.params.message)})` : '';
  const asks = round ? `requests input${message}, and ` : '';
  if (error !== undefined) return `${subject}: ${asks}fails with ${shorten(String(toJsonObject(error).message))}`;
  const { content, isError } = toJsonObject(result);
  const [first] = Array.isArray(content) ? content : [];
  const text = toJsonObject(first).text;
  const shown = typeof text === 'string' ? JSON.stringify(shorten(text)) : 'the recorded result';
  return `${subject}: ${asks}${isError === true ? 'reports the error' : 'returns'} ${shown}`;
}

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
};

function writeOptions(
  protocolVersion: string,
  rounds: readonly InputRound[],
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
  const isShort = members.length === 2;
  return {
    before,
    text: isShort ? `{ ${members.join(', ')} }` : `{\n${members.map(each => `    ${each},\n`).join('')}  }`,
  };
}

function writeCall(method: string, params: JsonObject): string {
  const { name, uri, arguments: args } = params;
  const rest = isObject(args) && Object.keys(args).length > 0 ? `, ${writeValue(args, 2)}` : '';
  if (method === 'tools/call' && typeof name === 'string') return `callTool(${writeStringLiteral(name)}${rest})`;
  if (method === 'prompts/get' && typeof name === 'string') return `getPrompt(${writeStringLiteral(name)}${rest})`;
  if (method === 'resources/read' && typeof uri === 'string') return `readResource(${writeStringLiteral(uri)})`;
  return `call(${writeStringLiteral(method)}, ${writeValue(params, 2)})`;
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
