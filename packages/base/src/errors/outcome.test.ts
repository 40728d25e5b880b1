import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tool } from '../../../tenon/src/server/definitions/tool.js';
import { createServer } from '../../../tenon/src/server/server.js';
import { TenonError } from './error.js';
import { createPeerError, createUnknownOutcomeError } from './outcome.js';

/** A server whose first call ends with an unknown outcome, as if another process had executed it. */
const createReplica = () => {
  let calls = 0;
  const pay = tool({
    run() {
      calls += 1;
      if (calls === 1) throw createUnknownOutcomeError('the process that ran the call has stopped');
      return 'paid';
    },
  });
  return createServer({ name: 's', version: '1', onError: () => {}, tools: { pay } });
};

describe.each(protocolVersions)('an error response with an unknown outcome in %s', protocolVersion => {
  it('rejects with `call/outcome-unknown` and the advice to check the effect', async () => {
    const client = await connectPair(createReplica(), { protocolVersion });
    const error = await client.callTool('pay').catch((thrown: TenonError) => thrown);
    expect(error).toMatchObject({
      code: 'call/outcome-unknown',
      rpcCode: -32603,
      summary: 'the process that ran the call has stopped',
      hint: expect.stringContaining('check the effect before you send the request again'),
    });
    await client.close();
  });

  it('makes the client send an idempotent call again', async () => {
    const client = await connectPair(createReplica(), { protocolVersion });
    expect(await client.callTool('pay', {}, { idempotent: true })).toMatchObject({ content: [{ text: 'paid' }] });
    await client.close();
  });
});

describe('an error response with a known outcome', () => {
  it('keeps its code, and is not sent again', async () => {
    let calls = 0;
    const pay = tool({
      run() {
        calls += 1;
        throw new TenonError('rpc/error', 'sold out', { rpcCode: -32050, data: { outcome: 'none' } });
      },
    });
    const client = await connectPair(createServer({ name: 's', version: '1', tools: { pay } }));
    await expect(client.callTool('pay', {}, { idempotent: true })).rejects.toMatchObject({ code: 'peer/error' });
    expect(calls).toBe(1);
    await client.close();
  });
});

describe('createPeerError', () => {
  it('advises against a second request that the server has executed', () => {
    const error = createPeerError({ code: -32603, message: 'refused', data: { outcome: 'executed' } }, {});
    expect(error).toMatchObject({ code: 'peer/error', hint: expect.stringMatching(/^do not send the request again/) });
  });
});
