import { connect, createServer, forMethod, tool } from 'tenon';
import { expect, it } from 'vitest';
import { createStubContext } from '../host/fixtures/stub-context.js';
import { createQuestions } from '../questions/questions.js';
import { runCall } from './run-call.js';

it('fails when the server only requests the same call again and again', async () => {
  let calls = 0;
  const server = createServer({
    name: 'loop',
    version: '1.0.0',
    tools: { again: tool({ run: () => 'x' }) },
    use: [
      forMethod('tools/call', async () => {
        calls += 1;
        return { resultType: 'input_required', requestState: `state ${calls}` };
      }),
    ],
  });
  const { context, notes } = createStubContext('/nowhere', () => undefined);
  const questions = createQuestions(context, {});
  const client = await connect(server, questions.handlers);
  const reference = { kind: 'name', name: 'loop' } as const;
  const connection = {
    client,
    target: { target: server, label: 'loop' },
    protocolVersion: client.server.protocolVersion,
    signal: new AbortController().signal,
  };
  const request = { method: 'tools/call', params: { name: 'again', arguments: {} }, reference, options: {} } as const;
  await expect(runCall(context, connection, request, questions)).rejects.toMatchObject({
    code: 'call/too-many-rounds',
  });
  expect([calls, notes]).toEqual([10, []]);
  await client.close();
});
