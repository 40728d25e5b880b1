import { describeIssues, encodeBase64, parseJsonText, takeBeginning } from '@tenon/base';
import { type PeerSchemaValidator, type ResourceContents, toolResult } from 'tenon';
import type { ApiOperation } from '../operations/operation.js';
import { type ApiResponse, decodeText, isText } from './call-api.js';

/** Converts a successful response to the result of a tool. */
export function toToolResult(
  { method }: ApiOperation,
  response: ApiResponse,
  maxLength: number,
  output: PeerSchemaValidator | undefined,
): ReturnType<typeof toolResult> {
  const { status, type, bytes } = response;
  const executed = method === 'GET' || method === 'HEAD' ? '' : ' The request was executed: do not send it again.';
  if (!isText(response) && bytes.length > 0) {
    const data = encodeBase64(bytes);
    const content = type.startsWith('image/')
      ? { type: 'image' as const, data, mimeType: type }
      : type.startsWith('audio/')
        ? { type: 'audio' as const, data, mimeType: type }
        : { type: 'resource' as const, resource: toContents(response.url, response) };
    if (output === undefined) return toolResult({ content });
    const message = `The response is ${type || 'binary'}, and its document promises JSON.${executed}`;
    return toolResult({ isError: true, content: [message, content] });
  }
  const text = decodeText(response);
  const shown =
    text.length > maxLength ? `${takeBeginning(text, maxLength)}… (${text.length} characters in all)` : text;
  const plain = shown === '' ? `done: status ${status}` : shown;
  if (output === undefined) return toolResult({ content: plain });
  const refuse = (reason: string) =>
    toolResult({ isError: true, content: `The API answered with status ${status}. ${reason}${executed}\n${plain}` });
  if (text.length > maxLength)
    return refuse(`The response has ${text.length} characters, and at most ${maxLength} are shown.`);
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch {
    return refuse('The response is not JSON, which its document promises.');
  }
  const checked = output.check(value);
  if (checked.ok === true) return toolResult({ content: text, structuredContent: value });
  const issues = checked.ok === null ? checked.reason : describeIssues(checked.issues);
  return refuse(`The response differs from its document: ${issues}.`);
}

/** Converts a successful response to the contents of a resource. */
export function toContents(uri: string, response: ApiResponse): ResourceContents {
  const { type, bytes } = response;
  const mimeType = type === '' ? {} : { mimeType: type };
  return isText(response)
    ? { uri, ...mimeType, text: decodeText(response) }
    : { uri, ...mimeType, blob: encodeBase64(bytes) };
}
