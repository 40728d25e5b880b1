import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { seal } from './exact.js';
import { isProtocolVersion, type ProtocolVersion, readSchema } from './schema-file.js';
import { type Side, type Vocabulary, vocabularyOf } from './vocabulary.js';

type Json = Record<string, unknown>;

/** What is around a message. */
export interface Context {
  /** Who sends it. */
  readonly from: Side;
  /** The request that it answers, when it is a response. */
  readonly answers?: { readonly method: string; readonly params?: unknown } | undefined;
}

export interface JudgeOptions {
  /**
   * True if a sent message may have only members of its protocol version.
   * @default false, because the types are open
   */
  readonly exact?: boolean;
  /** Methods beside those of the protocol version: of an extension, or made up by a test. Only their envelope is judged. */
  readonly custom?: (method: string) => boolean;
}

export interface Judge {
  /** What is wrong with a message that crossed; nothing is wrong when empty. */
  message(value: unknown, context: Context): string[];
  /** What is wrong with an array of messages as such; its members are messages. */
  batch(values: readonly unknown[]): string[];
  /** What is wrong with a value of a named type of the schema. */
  type(name: string, value: unknown): string[];
}

/** The official schema of a protocol version, asked about messages. Throws when the schemas are not there. */
export function judge(version: ProtocolVersion, { exact = false, custom = () => false }: JudgeOptions = {}): Judge {
  const { vocabulary, type } = compiledSchema(version, exact);
  const bench: Bench = { version, vocabulary, type, custom };
  return {
    type,
    batch: values => judgeBatch(bench, values),
    message: (value, context) => judgeMessage(bench, value, context),
  };
}

type CompiledSchema = Pick<Bench, 'vocabulary' | 'type'>;
const schemas = new Map<string, CompiledSchema>();

/** The same for all who ask: to compile a schema takes a third of the processor time of the tests that have messages judged. */
function compiledSchema(version: ProtocolVersion, exact: boolean): CompiledSchema {
  const key = `${version} ${exact}`;
  const found = schemas.get(key);
  if (found !== undefined) return found;
  const official = readSchema(version);
  const definitions = exact ? seal(official.definitions) : official.definitions;
  const type = compiler(definitions, official.is2020, official.pointer);
  const compiled = { vocabulary: vocabularyOf(official.definitions), type };
  schemas.set(key, compiled);
  return compiled;
}

interface Bench {
  readonly version: ProtocolVersion;
  readonly vocabulary: Vocabulary;
  readonly type: Judge['type'];
  readonly custom: (method: string) => boolean;
}

function compiler(definitions: Json, is2020: boolean, pointer: string): Judge['type'] {
  const ajv = new (is2020 ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ [pointer.slice(2, -1)]: definitions }, 'mcp');
  const compiled = new Map<string, ValidateFunction>();
  return (name, value) => {
    const validate = compiled.get(name) ?? ajv.getSchema(`mcp${pointer}${name}`);
    if (validate === undefined) return [`the schema has no type ${name}`];
    compiled.set(name, validate);
    if (validate(value)) return [];
    const errors = (validate.errors ?? []).slice(0, 6);
    return errors.map(
      ({ instancePath, message, params }) => `${name} at ${instancePath || '/'}: ${message} ${JSON.stringify(params)}`,
    );
  };
}

function judgeBatch({ vocabulary, version }: Bench, values: readonly unknown[]): string[] {
  if (!vocabulary.batches) return [`${version} has no batches`];
  const issues: string[] = [];
  if (values.length === 0) issues.push('a batch is empty');
  if (values.some(each => isObject(each) && each.method === 'initialize')) issues.push('initialize is part of a batch');
  const calls = values.filter(each => isObject(each) && 'method' in each).length;
  if (calls > 0 && calls < values.length) issues.push('a batch mixes calls and responses');
  return issues;
}

function judgeMessage(bench: Bench, value: unknown, context: Context): string[] {
  if (!isObject(value)) return ['a message is an object'];
  if ('method' in value)
    return 'id' in value ? judgeRequest(bench, value, context) : judgeNotification(bench, value, context);
  return 'error' in value ? judgeFailure(bench, value) : judgeSuccess(bench, value, context);
}

function judgeRequest({ vocabulary, type, custom, version }: Bench, value: Json, { from }: Context): string[] {
  const issues = type('JSONRPCRequest', value);
  const method = String(value.method);
  if (vocabulary.requests[from].size === 0)
    return [...issues, `on ${version} the ${from} sends no requests: ${method}`];
  const name = vocabulary.requests[from].get(method);
  if (name !== undefined) return [...issues, ...type(name, value)];
  if (!custom(method)) issues.push(`${version} has no request ${method} from the ${from}`);
  return issues;
}

function judgeNotification({ vocabulary, type, custom, version }: Bench, value: Json, { from }: Context): string[] {
  const issues = type('JSONRPCNotification', value);
  const method = String(value.method);
  const name = vocabulary.notifications[from].get(method);
  if (name !== undefined) return [...issues, ...type(name, value)];
  if (!custom(method)) issues.push(`${version} has no notification ${method} from the ${from}`);
  return issues;
}

function judgeSuccess(bench: Bench, value: Json, { from, answers }: Context): string[] {
  const { vocabulary, type } = bench;
  const issues = type(vocabulary.success, value);
  if (answers === undefined) return [...issues, 'a response answers no request'];
  const asker = from === 'client' ? 'server' : 'client';
  const request = vocabulary.requests[asker].get(answers.method);
  const result = isObject(value.result) ? value.result : {};
  return [...issues, ...judgeResult(bench, request, answers.params, result)];
}

function judgeResult(
  { vocabulary, type }: Bench,
  request: string | undefined,
  params: unknown,
  result: Json,
): string[] {
  // Nothing but the general type is known of the answers to custom methods.
  if (request === undefined) return type('Result', result);
  if (vocabulary.resultTypes) {
    // The unions of the schema would let anything with a `resultType` pass as an InputRequiredResult.
    if (result.resultType === 'input_required')
      return judgeInputRequired(type, vocabulary.mayAskForInput(request), result);
    // The result of an extension, such as "task": the schema knows nothing more of it.
    if (result.resultType !== undefined && result.resultType !== 'complete') return type('Result', result);
  }
  // CreateTaskResult is in no union of 2025-11-25, yet it answers what was sent with a `task`.
  if (isObject(params) && 'task' in params && vocabulary.has('CreateTaskResult'))
    return type('CreateTaskResult', result);
  return type(vocabulary.resultOf(request), result);
}

function judgeInputRequired(type: Judge['type'], allowed: boolean, result: Json): string[] {
  const issues = type('InputRequiredResult', result);
  if (!allowed) issues.push('this method may not be answered with input_required');
  if (result.inputRequests === undefined && result.requestState === undefined) {
    issues.push('an InputRequiredResult has neither inputRequests nor requestState');
  }
  return issues;
}

function judgeFailure({ vocabulary, type }: Bench, value: Json): string[] {
  const code = isObject(value.error) ? value.error.code : undefined;
  const fullText = vocabulary.failures.get(code);
  const part = vocabulary.errors.get(code);
  const issues = type(vocabulary.failure, idOfUnreadable(vocabulary, value, code));
  if (fullText !== undefined) issues.push(...type(fullText, value));
  if (part !== undefined) issues.push(...type(part, value.error));
  return issues;
}

/**
 * Before 2025-11-25 the type asks for the id of every error, which a message that could not be read does not have.
 * JSON-RPC 2.0, on which those protocol versions stand, says `null` there, and their HTTP bodies may have none.
 */
function idOfUnreadable(vocabulary: Vocabulary, value: Json, code: unknown): Json {
  const unreadable = code === -32700 || code === -32600;
  if (vocabulary.failureIdOptional || !unreadable || (value.id !== null && value.id !== undefined)) return value;
  return { ...value, id: 0 };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The judge of a version that a message names. */
export function judgeOf(version: unknown, exact: boolean): Judge | undefined {
  return isProtocolVersion(version) ? judge(version, { exact }) : undefined;
}
