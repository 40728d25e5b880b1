import {
  hasUnknownOutcome,
  isObject,
  type JsonObject,
  OUTCOME_UNKNOWN,
  stringifyForProgram,
  TenonError,
  takeBeginning,
} from '@tenon/base';
import { POLICY_DECISION } from '../security/policy/denied-result.js';
import type { DeliveredOutcome } from './program-engine.js';

/** Maximum number of characters of a result in an error. */
const MAX_TEXT = 4000;

/**
 * Converts the result of a tool to the value of a call: `structuredContent`, or the text of a single text block, or
 * the content blocks. A result with `isError` makes the call throw.
 */
export function toOutcome(tool: string, result: JsonObject, maxCallResult: number): DeliveredOutcome {
  if (result.isError === true) return toErrorOutcome(tool, getText(result), getDecision(result));
  const json = stringifyForProgram(getValue(result));
  if (json.length <= maxCallResult) return { ok: true, json };
  const message = `${tool} was carried out, but its result has ${json.length} characters of JSON. The limit is ${maxCallResult}`;
  return toErrorOutcome(tool, message, 'program/result-too-large');
}

/** Converts an error of a call to its outcome. A call with an unknown outcome says so. */
export function toFailedOutcome(tool: string, thrown: unknown): DeliveredOutcome {
  const error = TenonError.from(thrown);
  return toErrorOutcome(tool, error.summary, hasUnknownOutcome(error.data) ? OUTCOME_UNKNOWN : error.code);
}

function toErrorOutcome(tool: string, message: string, code: string): DeliveredOutcome {
  return { ok: false, json: JSON.stringify({ tool, code, message: takeBeginning(message, MAX_TEXT) }) };
}

function getDecision({ _meta: meta }: JsonObject): string {
  return isObject(meta) && meta[POLICY_DECISION] === 'denied' ? 'tool/denied' : 'tool/failed';
}

function getText({ content }: JsonObject): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map(block => (isObject(block) && typeof block.text === 'string' ? block.text : ''));
  return texts.join('\n').trim() || 'the tool failed without a text';
}

function getValue({ structuredContent, content }: JsonObject): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const [block] = blocks;
  return blocks.length === 1 && isObject(block) && block.type === 'text' ? block.text : blocks;
}
