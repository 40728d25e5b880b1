import { describe, expect, it } from 'vitest';
import type {
  CreateMessageParams,
  SamplingContent,
  SamplingMessage,
} from '../../../tenon/src/protocol/input-requests.js';
import { afterTools, asking, weather } from './fixtures/requests.js';
import { judgeRequest } from './validate-request.js';

const say = (text = 'x') => ({ type: 'text' as const, text });
const use = (id: string) => ({ type: 'tool_use' as const, id, name: 't', input: {} });
const result = (toolUseId: string) => ({ type: 'tool_result' as const, toolUseId, content: [] });
const user = (...content: SamplingContent[]): SamplingMessage => ({ role: 'user', content });
const model = (...content: SamplingContent[]): SamplingMessage => ({ role: 'assistant', content });
const of = (...messages: SamplingMessage[]) => asking('x', { messages });
const broken = (request: unknown) => () => judgeRequest(request as CreateMessageParams);

describe('validateSamplingRequest', () => {
  it.each<[string, CreateMessageParams]>([
    ['of text', asking()],
    ['after tools', afterTools()],
    ['with a result that is not in a list', of(user(say()), model(use('a')), { role: 'user', content: result('a') })],
    [
      'of several rounds',
      of(user(say()), model(use('a')), user(result('a')), model(use('a'), say()), user(result('a'))),
    ],
  ])('accepts a request %s', (_, request) => expect(broken(request)).not.toThrow());

  it.each<[string, string, CreateMessageParams]>([
    [
      'a use without its result [sampling.error.tool-result-missing]',
      'Tool result missing',
      of(model(use('a'), use('b')), user(result('a'))),
    ],
    ['a use at the end [sampling.error.tool-result-missing]', 'Tool result missing', of(user(say()), model(use('a')))],
    [
      'words between use and result [sampling.client-rejects-unbalanced]',
      'Tool result missing',
      of(model(use('a')), user(say()), user(result('a'))),
    ],
    ['a result among words [sampling.error.tool-result-mixed]', 'mixed', of(model(use('a')), user(say(), result('a')))],
    ['a result of nothing', 'no matching tool use', of(user(result('a')))],
    ['a result twice', 'no matching tool use', of(model(use('a')), user(result('a'), result('a')))],
    ['a use twice', 'same id', of(model(use('a'), use('a')), user(result('a')))],
    ['a use of the user', 'must be in a message of the assistant', of(user(use('a')))],
    ['a result of the assistant', 'must be in a message of the user', of(model(result('a')))],
    ['no messages', 'must not be empty', asking('x', { messages: [] })],
    ['a strange role', 'role', asking('x', { messages: [{ role: 'system' as never, content: say() }] })],
    ['a strange block', 'unknown type', of(user({ type: 'video' } as never))],
    ['a block that is none', 'unknown type', of(user(null as never))],
    ['an image without data', 'data', of(user({ type: 'image', mimeType: 'image/png' } as never))],
    ['no tokens', 'maxTokens', asking('x', { maxTokens: 0 })],
    ['half a token', 'maxTokens', asking('x', { maxTokens: 1.5 })],
    ['a tool twice', 'same name', asking('x', { tools: [weather, weather] })],
    ['a tool without schema', 'inputSchema', asking('x', { tools: [{ name: 'x' } as never] })],
    ['a choice that is none', 'toolChoice', asking('x', { tools: [weather], toolChoice: { mode: 'any' as never } })],
    ['a tool required of none', 'toolChoice', asking('x', { toolChoice: { mode: 'required' } })],
  ])('rejects a request with %s by -32602', (_, message, request) => {
    expect(broken(request)).toThrow(expect.objectContaining({ code: 'rpc/error', rpcCode: -32602 }));
    expect(broken(request)).toThrow(message);
  });

  it('limits messages, tools and characters', () => {
    const bounds = { messages: 1, tools: 1, characters: 500 };
    const judge = (request: CreateMessageParams) => () => judgeRequest(request, bounds);
    expect(judge(asking())).not.toThrow();
    expect(judge(of(user(say()), user(say())))).toThrow('at most 1 messages');
    expect(judge(asking('x', { tools: [weather, { ...weather, name: 'b' }] }))).toThrow('at most 1 tools');
    expect(judge(asking('x'.repeat(500)))).toThrow('at most 500 characters');
  });
});
