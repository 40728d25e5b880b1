import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { InputRequest } from '../../model/asking.js';

/** Methods of the questions that a result may ask. https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
const METHODS: readonly InputRequest['method'][] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** Throws when a result asks the client something that it can not be asked. Any other result passes. */
export function checkQuestions(result: JsonObject, check: (method: string, params: JsonObject) => void): void {
  if (result.resultType !== 'input_required' || !isObject(result.inputRequests)) return;
  for (const question of Object.values(result.inputRequests)) {
    if (!isObject(question)) continue;
    check(String(question.method), isObject(question.params) ? question.params : {});
  }
}

/** Throws `handler/output` when a result asks anything but the questions of the protocol. Any other result passes. */
export function checkQuestionMethods(subject: string, result: unknown): void {
  if (!isObject(result) || result.resultType !== 'input_required') return;
  const { inputRequests = {} } = result;
  if (!isObject(inputRequests)) throw invalidQuestions(subject, 'inputRequests', 'an object', inputRequests);
  for (const [key, question] of Object.entries(inputRequests)) {
    const { method } = isObject(question) ? question : {};
    if ((METHODS as readonly unknown[]).includes(method)) continue;
    throw invalidQuestions(subject, `the method of question "${key}"`, METHODS.join(', '), method);
  }
}

function invalidQuestions(subject: string, what: string, expected: string, got: unknown): TenonError {
  return new TenonError('handler/output', `${subject}: ${what} is invalid`, {
    expected,
    got: typeof got === 'string' ? `"${got.slice(0, 128)}"` : typeof got,
    next: 'return the questions by `inputRequired({ requests })`',
  });
}
