import { isObject, type JsonObject } from '@tenon/base';
import { type Dialect, type JsonRpcResponse, readMeta, SERVER_INFO } from 'tenon/testing-internals';
import { type RecordedExchange, toSessions } from '../recorded-sessions.js';
import { getExchangeDialect } from '../recorded-versions.js';
import type { Recording } from '../recording.js';
import type { Definition, MockSource, RecordedAnswer } from './mock-source.js';

const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;
type DefinitionList = (typeof LISTS)[keyof typeof LISTS];

/** Methods whose answers a mock server repeats. */
const ANSWERED = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete']);

/** Reads the definitions and the answers of a recorded server. */
export function readRecordedSource(recording: Recording): MockSource {
  const reader = new SourceReader();
  for (const session of toSessions(recording)) {
    for (const exchange of session.exchanges) reader.read(exchange, getExchangeDialect(exchange, session));
  }
  return reader.finish();
}

class SourceReader {
  #info: JsonObject = {};
  #instructions: string | undefined;
  readonly #lists: Readonly<Record<DefinitionList, Map<unknown, Definition>>> = {
    tools: new Map(),
    prompts: new Map(),
    resources: new Map(),
    resourceTemplates: new Map(),
  };
  readonly #answers: RecordedAnswer[] = [];

  read({ request, response }: RecordedExchange, dialect: Dialect | undefined): void {
    if (response === undefined) return;
    const { method } = request;
    const params = decode(dialect?.transforms.decode.params?.(method), request.params ?? {}, {});
    if (ANSWERED.has(method)) return this.#readAnswer(method, params, response, dialect);
    if (!('result' in response)) return;
    const result = decode(dialect?.transforms.decode.result?.(method), response.result, { params });
    if (method === 'initialize' || method === 'server/discover') this.#readServer(result);
    if (isListMethod(method)) this.#readList(LISTS[method], result);
  }

  finish(): MockSource {
    for (const { method, params } of this.#answers) this.#addUnlisted(method, params);
    const { name, version } = this.#info;
    return {
      name: typeof name === 'string' ? name : undefined,
      version: typeof version === 'string' ? version : undefined,
      instructions: this.#instructions,
      tools: [...this.#lists.tools.values()],
      prompts: [...this.#lists.prompts.values()],
      resources: [...this.#lists.resources.values()],
      resourceTemplates: [...this.#lists.resourceTemplates.values()],
      answers: this.#answers,
    };
  }

  #readServer(result: JsonObject): void {
    const info = result.serverInfo ?? readMeta(result)[SERVER_INFO];
    if (isObject(info)) this.#info = info;
    if (typeof result.instructions === 'string') this.#instructions = result.instructions;
  }

  #readList(list: DefinitionList, result: JsonObject): void {
    const entries = result[list];
    if (!Array.isArray(entries)) return;
    for (const entry of entries) if (isObject(entry)) this.#lists[list].set(getKey(entry), entry);
  }

  #readAnswer(method: string, params: JsonObject, response: JsonRpcResponse, dialect: Dialect | undefined): void {
    const { inputResponses: _, requestState: __, task: ___, _meta: ____, ...own } = params;
    if ('error' in response) {
      this.#answers.push({ method, params: own, outcome: { error: response.error } });
      return;
    }
    if (!('result' in response)) return;
    const tool = this.#lists.tools.get(params.name);
    const outputSchema = isObject(tool?.outputSchema) ? tool.outputSchema : undefined;
    const result = decode(dialect?.transforms.decode.result?.(method), response.result, { params, outputSchema });
    // The final result follows in a later response.
    if (result.resultType === 'input_required' || result.resultType === 'task') return;
    this.#answers.push({ method, params: own, outcome: { result } });
  }

  /** Adds the definition of a tool, prompt or resource that was used without being listed. */
  #addUnlisted(method: string, { name, uri }: JsonObject): void {
    const { tools, prompts, resources } = this.#lists;
    if (method === 'tools/call' && !tools.has(name)) tools.set(name, { name, inputSchema: { type: 'object' } });
    if (method === 'prompts/get' && !prompts.has(name)) prompts.set(name, { name });
    if (method === 'resources/read' && !resources.has(uri)) resources.set(uri, { uri, name: uri });
  }
}

function isListMethod(method: string): method is keyof typeof LISTS {
  return Object.hasOwn(LISTS, method);
}

const getKey = ({ name, uri, uriTemplate }: Definition): unknown => uri ?? uriTemplate ?? name;

function decode(
  transform: ReturnType<NonNullable<Dialect['transforms']['decode']['params']>>,
  value: JsonObject,
  context: Parameters<NonNullable<typeof transform>>[1],
): JsonObject {
  return transform?.(value, context) ?? value;
}
