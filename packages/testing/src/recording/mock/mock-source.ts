import { type ErrorObject, isObject, type JsonObject, TenonError, toJsonObject } from '@tenon/base';
import { parseJson } from 'tenon/testing-internals';
import { isRecordingLine, parseRecording, selectServer } from '../parse-recording.js';
import { readRecordedSource } from './recorded-source.js';

/** Recorded answer to a request, in the form of the newest protocol version. */
export interface RecordedAnswer {
  readonly method: string;
  readonly params: JsonObject;
  readonly outcome: { readonly result: JsonObject } | { readonly error: ErrorObject };
}

/** Definition of a tool, a prompt or a resource, as a server sends it. */
export type Definition = JsonObject;

/** Content of a mock server. */
export interface MockSource {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly Definition[];
  readonly prompts: readonly Definition[];
  readonly resources: readonly Definition[];
  readonly resourceTemplates: readonly Definition[];
  readonly answers: readonly RecordedAnswer[];
}

/**
 * Parses the content of a mock server: a recording, the output of `tenon list --json`, or a lock file.
 *
 * @param server Name of the server, if the file has several.
 * @throws TenonError `mock/source` when the text is none of them, or `recording/…`.
 */
export function parseMockSource(text: string, server?: string): MockSource {
  const [first = ''] = text.trimStart().split('\n', 1);
  if (isRecordingLine(first)) return readRecordedSource(selectServer(parseRecording(text), server));
  const value = parseObject(text);
  if (isObject(value.servers)) return readLockedServer(value.servers, server);
  if (Array.isArray(value.tools)) return readListing(value, server);
  throw createSourceError('an object with other members');
}

function parseObject(text: string): JsonObject {
  try {
    const value = parseJson(text);
    if (isObject(value)) return value;
  } catch {
    throw createSourceError('text that is not JSON');
  }
  throw createSourceError('another JSON value');
}

/** Reads the output of `tenon list --json`, which has one server. */
function readListing(listing: JsonObject, wanted: string | undefined): MockSource {
  const { server, instructions } = listing;
  const info = readInfo(toJsonObject(server), instructions);
  if (wanted !== undefined && wanted !== info.name)
    throw createServerError(info.name === undefined ? [] : [info.name], wanted);
  return {
    ...info,
    tools: readDefinitions(listing.tools).map(({ signature: _, tokens: __, ...tool }) => tool),
    prompts: readDefinitions(listing.prompts),
    resources: readDefinitions(listing.resources),
    resourceTemplates: readDefinitions(listing.resourceTemplates),
    answers: [],
  };
}

/** Reads one server of a lock file. */
function readLockedServer(servers: JsonObject, wanted: string | undefined): MockSource {
  const names = Object.keys(servers);
  if (names.length === 0) throw createSourceError('a lock file without servers');
  const name = wanted ?? (names.length === 1 ? names[0] : undefined);
  const locked = name !== undefined && Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (name === undefined || !isObject(locked)) throw createServerError(names, wanted);
  const about = toJsonObject(toJsonObject(locked.about).definition);
  return {
    ...readInfo({ name, ...about }, about.instructions),
    tools: readPinned(locked.tools),
    prompts: readPinned(locked.prompts),
    resources: readPinned(locked.resources),
    resourceTemplates: readPinned(locked.templates),
    answers: [],
  };
}

function readPinned(section: unknown): Definition[] {
  const pinned = isObject(section) ? Object.values(section) : [];
  return pinned.flatMap(each => (isObject(each) && isObject(each.definition) ? [each.definition] : []));
}

function readInfo({ name, version }: JsonObject, instructions: unknown) {
  return {
    name: typeof name === 'string' ? name : undefined,
    version: typeof version === 'string' ? version : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

const readDefinitions = (list: unknown): Definition[] => (Array.isArray(list) ? list.filter(isObject) : []);

function createServerError(names: readonly string[], wanted: string | undefined): TenonError {
  return new TenonError(
    'mock/server',
    wanted === undefined ? 'the name of the server is missing' : 'the server is not in the file',
    { expected: names.length === 0 ? 'no name' : `one of ${names.join(', ')}`, received: wanted },
  );
}

function createSourceError(received: string): TenonError {
  return new TenonError('mock/source', 'the file cannot be used for a mock server', {
    expected: 'a recording, the output of `tenon list --json`, or a lock file',
    received,
  });
}
