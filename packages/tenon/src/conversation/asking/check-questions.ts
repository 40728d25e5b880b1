import { isObject, type JsonObject } from '../../jsonrpc/message.js';

/** Throws when a result asks the client something that it can not be asked. Any other result passes. */
export function checkQuestions(result: JsonObject, check: (method: string, params: JsonObject) => void): void {
  if (result.resultType !== 'input_required' || !isObject(result.inputRequests)) return;
  for (const question of Object.values(result.inputRequests)) {
    if (!isObject(question)) continue;
    check(String(question.method), isObject(question.params) ? question.params : {});
  }
}
