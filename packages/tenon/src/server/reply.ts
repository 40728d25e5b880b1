import { TenonError } from '../jsonrpc/error.js';
import { isObject } from '../jsonrpc/message.js';
import type { InputRequests, InputRequiredResult } from '../model/asking.js';
import type { ContentBlock, Meta } from '../model/content.js';

const REPLY = Symbol.for('tenon.reply');

/** A tool's answer with all its parts, made by `reply` or `ctx.fail`. */
export interface Reply {
  readonly [REPLY]: true;
  readonly content: readonly ContentBlock[] | undefined;
  readonly structured: unknown;
  readonly isError: boolean;
  readonly _meta: Meta | undefined;
}

type Content = string | ContentBlock | readonly (string | ContentBlock)[];

/** A tool's answer where content and structured content differ, or where there is metadata. */
export function reply(parts: {
  content?: Content | undefined;
  structured?: unknown;
  isError?: boolean | undefined;
  _meta?: Meta | undefined;
}): Reply {
  const { content, structured, isError = false, _meta } = parts;
  return { [REPLY]: true, content: content === undefined ? undefined : blocks(content), structured, isError, _meta };
}

export function isReply(value: unknown): value is Reply {
  return isObject(value) && (value as { [REPLY]?: unknown })[REPLY] === true;
}

/** An error whose words are meant for the model: a tool that throws it answers with `isError` and this text. */
export function toolError(message: string, cause?: unknown): TenonError {
  return new TenonError('tool/failed', message, { cause });
}

/**
 * Returns questions to the client. The handler runs again when all are answered, with the answers and `state` in
 * `ctx.inputs`. The client gets `state` sealed and bound to the user and the request. Replicas share `asking.keys`.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 *
 * @throws `handler/empty-question` when there are neither requests nor a state.
 */
export function inputRequired(question: {
  requests?: InputRequests | undefined;
  state?: string | undefined;
}): InputRequiredResult {
  const { requests, state } = question;
  if (requests === undefined && state === undefined) {
    throw new TenonError('handler/empty-question', 'a question has requests, a state, or both');
  }
  return {
    resultType: 'input_required',
    ...(requests === undefined ? {} : { inputRequests: requests }),
    ...(state === undefined ? {} : { requestState: state }),
  };
}

export function isInputRequired(value: unknown): value is InputRequiredResult {
  return isObject(value) && value.resultType === 'input_required';
}

export function blocks(content: Content): ContentBlock[] {
  const all = Array.isArray(content)
    ? (content as readonly (string | ContentBlock)[])
    : [content as string | ContentBlock];
  return all.map(block => (typeof block === 'string' ? { type: 'text', text: block } : block));
}
