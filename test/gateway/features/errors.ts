import type { CallToolResult } from 'tenon';
import { expect } from 'vitest';
import type { Combination } from '../combination.js';
import { callText, type Feature, getOutcome } from '../feature.js';
import { isSameVersion, newest } from '../pair.js';
import { MADE_UP } from './lists.js';

const ABSENT = 'com.example/absent';

/** The code, the message and the data with which a call is rejected. */
const readError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    async result => (isToolResult(result) ? callText(Promise.resolve(result)) : 'none'),
    ({ rpcCode, message, data }) => ({ rpcCode, message: String(message).split('\n')[0], data }),
  );

const isToolResult = (value: unknown): value is CallToolResult =>
  typeof value === 'object' && value !== null && 'content' in value;

async function unlocked({ client, request, tag }: Combination) {
  const notifications: unknown[] = [];
  const call = () => client.callTool('locked', { name: tag });
  const answer = await getOutcome(
    call().catch(error => {
      const [first] = (error.data as { elicitations?: { url: string }[] } | undefined)?.elicitations ?? [];
      if (error.rpcCode !== -32042) throw error;
      notifications.push('by the code', first?.url);
      return call();
    }),
  );
  if ('refused' in answer) return answer;
  const url = request.urls.find(each => each.endsWith(`/unlock/${tag}`));
  if (url) notifications.push('by a question', url);
  return [...notifications.map(each => String(each).replace(tag, '…')), await callText(Promise.resolve(answer))];
}

export const errors: readonly Feature[] = [
  {
    crosses: 'errors',
    name: 'a tool says that it failed, and why',
    probe: ({ client }) => Promise.all(['fails', 'gives', 'throws'].map(name => callText(client.callTool(name)))),
    seen: () => [
      { refused: 'The cellar is locked', by: 'result' },
      { refused: 'No such luck', by: 'result' },
      { refused: 'Tool throws failed', by: 'result' },
    ],
  },
  {
    crosses: 'errors',
    name: 'an error of the protocol, with its data',
    probe: ({ client }) => readError(client.callTool('refuses')),
    seen: () => ({ rpcCode: -32603, message: expect.stringContaining('Out of order'), data: { until: 'noon' } }),
  },
  {
    crosses: 'errors',
    name: 'a code of the server’s own, with its data',
    probe: ({ client }) => readError(client.callTool('coded')),
    seen: () => ({
      rpcCode: 7001,
      message: expect.stringContaining('The well is dry'),
      data: { depth: 12, why: ['no rain'] },
    }),
  },
  {
    crosses: 'errors',
    name: 'a tool that there is not',
    probe: ({ client }) => readError(client.callTool('absent')),
    seen: () => expect.objectContaining({ rpcCode: -32602, message: expect.stringContaining('absent') }),
  },
  {
    crosses: 'errors',
    name: 'a prompt that there is not, and arguments that are missing',
    probe: ({ client }) =>
      Promise.all([
        readError(client.call('prompts/get', { name: 'absent' })),
        readError(client.call('prompts/get', { name: 'letter' })),
      ]),
    seen: () => [expect.objectContaining({ rpcCode: -32602 }), expect.objectContaining({ rpcCode: -32602 })],
  },
  {
    crosses: 'errors',
    name: 'arguments that do not fit',
    probe: ({ client }) => callText(client.callTool('add', { a: 1, b: 'two' })),
    // By the manner of the server, or by that of the client: both tell.
    seen: pair => ({
      refused: expect.stringContaining('Invalid arguments for tool add'),
      by: !isSameVersion(pair) ? expect.anything() : pair.server >= '2025-11-25' ? 'result' : -32602,
    }),
  },
  {
    crosses: 'errors',
    name: 'a resource that there is not, in the words of the client',
    probe: ({ client }) =>
      Promise.all(['note://absent', 'note://by/zzz'].map(uri => readError(client.readResource(uri)))),
    seen: ({ client }) => {
      const error = { rpcCode: client === newest ? -32602 : -32002 };
      return [expect.objectContaining(error), expect.objectContaining(error)];
    },
  },
  {
    crosses: 'errors',
    name: 'a cursor that nobody gave',
    probe: ({ client }) => readError(client.call('tools/list', { cursor: MADE_UP })),
    seen: () => expect.objectContaining({ rpcCode: -32602 }),
  },
  {
    crosses: 'errors',
    name: 'a method that there is not',
    probe: ({ client }) => readError(client.call(ABSENT)),
    seen: () => expect.objectContaining({ rpcCode: -32601 }),
  },
  {
    crosses: 'errors',
    name: 'a completion of what there is not',
    probe: ({ client }) =>
      readError(client.complete({ ref: { type: 'ref/prompt', name: 'absent' }, argument: { name: 'to', value: 'a' } })),
    seen: () => expect.objectContaining({ rpcCode: -32602 }),
  },
  {
    crosses: 'errors',
    name: 'a capability that the client lacks',
    probe: ({ client }) => readError(client.callTool('needy')),
    seen: () => ({
      rpcCode: -32021,
      message: expect.stringContaining('capability'),
      data: { requiredCapabilities: { experimental: { 'com.example/wings': {} } } },
    }),
  },
  {
    crosses: 'errors',
    name: 'a URL that has to be visited first',
    probe: unlocked,
    // A client that has no such code is asked; one that has it is told by it, or asked.
    seen: pair => [
      pair.client === newest ? 'by a question' : isSameVersion(pair) ? 'by the code' : expect.stringMatching(/^by /),
      'https://example.com/unlock/…',
      'open after 2',
    ],
  },
];
