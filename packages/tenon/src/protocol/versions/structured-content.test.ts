import { isObject, type JsonObject, keepIntegers, parseJsonText, stringifyJson } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { dialects } from './index.js';

const outputSchema = { type: 'number' };
const numbers = ['9007199254740993', '-9223372036854775808', '123456789012345678901234567890', '-0', '1e400'];
const cases = dialects.flatMap(dialect => numbers.map(number => [number, dialect.protocolVersion, dialect] as const));

function parse(text: string): JsonObject {
  const value = parseJsonText(text);
  if (!isObject(value)) throw new Error('expected an object');
  return value;
}

describe('structured content that is a number', () => {
  it.each(cases)('keeps all digits: %s to a peer of %s and back', (number, _, { transforms }) => {
    keepIntegers();
    const encode = transforms.encode.result?.('tools/call');
    const decode = transforms.decode.result?.('tools/call');
    for (const text of [number, 'other']) {
      const content = [{ type: 'text', text }];
      const result = parse(
        `{"content":${JSON.stringify(content)},"structuredContent":${number},"resultType":"complete"}`,
      );
      const sent = parse(stringifyJson(encode?.(result, { outputSchema }) ?? result));
      // A client reads a result before and after it has looked up the tool.
      const early = decode?.(sent, {}) ?? sent;
      const received = decode?.(early, { outputSchema }) ?? early;
      expect(stringifyJson({ ...received, content: undefined })).toContain(`"structuredContent":${number}`);
    }
  });

  it('reads no other text as the value', () => {
    const decode = dialects.find(({ protocolVersion }) => protocolVersion === '2025-03-26')?.transforms.decode.result;
    for (const text of ['', '1 2', 'a', '1,2']) {
      const result = { content: [{ type: 'text', text }], _meta: { 'dev.tenon/structuredContent': true } };
      expect(decode?.('tools/call')?.(result, {})).toEqual({ content: result.content });
    }
  });
});
