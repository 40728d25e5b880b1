import { describeIssues, INVALID_PARAMS, isObject, type JsonObject, rpcError } from '@tenon/base';
import { loadPeerSchema } from 'tenon';
import { findRefusal } from 'tenon/testing-internals';
import { type ComparableRequest, countDifferences, formatRequest, toComparable } from '../replay/match-requests.js';
import { createExample } from './example-value.js';
import type { Definition, MockSource, RecordedAnswer } from './mock-source.js';
import type { Random } from './random.js';

/** Answer to a request without an equal recorded one: a value from the output schema, or an error. */
export type UnrecordedAnswer = 'generate' | 'refuse';

interface ComparableAnswer extends RecordedAnswer {
  readonly comparable: ComparableRequest;
}

/** Finds recorded answers, and makes others. */
export class MockAnswers {
  readonly #answers: readonly ComparableAnswer[];
  readonly #unrecorded: UnrecordedAnswer;
  readonly #random: Random;
  /** Number of times that each request was answered. */
  readonly #counts = new Map<string, number>();

  constructor({ answers }: MockSource, unrecorded: UnrecordedAnswer, random: Random) {
    this.#answers = answers.map(answer => ({ ...answer, comparable: toComparable(answer) }));
    this.#unrecorded = unrecorded;
    this.#random = random;
  }

  async callTool(tool: Definition, params: JsonObject): Promise<JsonObject> {
    return this.#findEqual('tools/call', params) ?? this.#makeToolResult(tool, params);
  }

  getPrompt(prompt: Definition, params: JsonObject): JsonObject {
    const recorded = this.#findEqual('prompts/get', params) ?? this.#findNearest('prompts/get', params);
    if (recorded) return recorded;
    const text = `Mock of prompt ${String(prompt.name)}: ${JSON.stringify(params.arguments ?? {})}`;
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  }

  readResource(resource: Definition, params: JsonObject): JsonObject {
    const recorded = this.#findEqual('resources/read', params);
    if (recorded) return recorded;
    this.#requireGenerated('resources/read', params);
    const { mimeType } = resource;
    const uri = String(params.uri);
    return { contents: [{ uri, ...(mimeType === undefined ? {} : { mimeType }), text: `Mock of ${uri}` }] };
  }

  complete(params: JsonObject): JsonObject {
    return this.#findEqual('completion/complete', params) ?? { completion: { values: [] } };
  }

  async #makeToolResult(tool: Definition, params: JsonObject): Promise<JsonObject> {
    const issue = await findArgumentIssue(tool, params);
    if (issue !== undefined) return { content: [{ type: 'text', text: issue }], isError: true };
    this.#requireGenerated('tools/call', params);
    if (isObject(tool.outputSchema)) {
      const structuredContent = createExample(tool.outputSchema, this.#random);
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    }
    return (
      this.#findNearest('tools/call', params) ?? {
        content: [
          { type: 'text', text: `Mock of tool ${String(tool.name)}: ${JSON.stringify(params.arguments ?? {})}` },
        ],
      }
    );
  }

  /**
   * Finds the recorded answer to an equal request. Equal requests get their answers in the recorded order, and the last
   * one again.
   */
  #findEqual(method: string, params: JsonObject): JsonObject | undefined {
    const { key } = toComparable({ method, params: withoutMeta(params) });
    const equal = this.#answers.filter(({ comparable }) => comparable.key === key);
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    const answer = equal[Math.min(count, equal.length - 1)];
    return answer && takeOutcome(answer);
  }

  /** Finds the recorded answer to the most similar request of the same name. */
  #findNearest(method: string, params: JsonObject): JsonObject | undefined {
    this.#requireGenerated(method, params);
    const request = toComparable({ method, params: withoutMeta(params) });
    const ranked = this.#answers
      .filter(({ comparable }) => comparable.method === method && comparable.name === request.name)
      .map(answer => ({ answer, rank: countDifferences(request, answer.comparable) }))
      .sort((a, b) => a.rank - b.rank);
    return ranked[0] && takeOutcome(ranked[0].answer);
  }

  #requireGenerated(method: string, params: JsonObject): void {
    if (this.#unrecorded === 'generate') return;
    const request = toComparable({ method, params: withoutMeta(params) });
    const recorded = this.#answers.filter(({ comparable }) => comparable.method === method);
    const names = [...new Set(recorded.map(({ comparable }) => formatRequest(comparable)))].slice(0, 5);
    const hint = names.length > 0 ? ` Recorded are ${names.join(', ')}.` : '';
    throw rpcError(INVALID_PARAMS, `${formatRequest(request)}: not in the recording.${hint}`);
  }
}

function withoutMeta({
  _meta: _,
  inputResponses: __,
  requestState: ___,
  task: ____,
  ...params
}: JsonObject): JsonObject {
  return params;
}

function takeOutcome({ outcome }: RecordedAnswer): JsonObject {
  if ('result' in outcome) return outcome.result;
  const { code, message, data } = outcome.error;
  throw rpcError(code, message, data);
}

/** Returns the issue of arguments that do not match the input schema. */
async function findArgumentIssue(
  { inputSchema }: Definition,
  { arguments: args = {} }: JsonObject,
): Promise<string | undefined> {
  if (!isObject(inputSchema)) return undefined;
  const refusal = findRefusal((await loadPeerSchema(inputSchema)).check(args));
  return refusal === undefined ? undefined : `Invalid arguments: ${describeIssues(refusal.issues)}`;
}
