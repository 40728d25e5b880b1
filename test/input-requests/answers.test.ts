import { describe, expect, it } from 'vitest';
import {
  beginCall,
  createGuardedServer,
  expectAccepted,
  expectRefusal,
  KEY,
  send,
  sentCall,
} from './guarded-server.js';
import { getRetry, getText } from './wire.js';

describe('input responses', () => {
  it('are refused when of the wrong kind, and use nothing up [mrtr.input-responses-validated mrtr.malformed-responses-error]', async () => {
    const on = createGuardedServer();
    const retry = await beginCall(on);
    const wrong = [
      { roots: [] },
      { action: 'perhaps' },
      { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } },
      'yes',
      null,
      [],
      1,
    ];
    for (const each of wrong) await expectRefusal(on, sentCall, { ...retry, inputResponses: { 'ask-0': each } });
    await expectAccepted(on, retry);
  });

  it('are reported to the model when they do not fit the form', async () => {
    const on = createGuardedServer({ inputRequests: { keys: [KEY], maxSuspended: 0 } });
    const retry = await beginCall(on);
    const answer = { action: 'accept', content: { yes: 'maybe' } };
    const { result } = await send(on, sentCall, { ...retry, inputResponses: { 'ask-0': answer } });
    expect(result).toMatchObject({ isError: true });
    expect(on.ran.filter(each => each.startsWith('step'))).toEqual(['step before']);
  });

  it('are ignored without an input request, also for future input requests [mrtr.extra-responses-ignored]', async () => {
    const on = createGuardedServer();
    const retry = await beginCall(on);
    const decline = { action: 'decline' };
    const inputResponses = { ...retry.inputResponses, 'ask-1': decline, 'ask-9': {}, constructor: decline };
    const second = await send(on, sentCall, { ...retry, inputResponses });
    expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(['ask-1']);
    expect(getText(await send(on, sentCall, getRetry(second)))).toBe('done');
  });

  it('stay fixed in later rounds [mrtr.earlier-answers-in-state]', async () => {
    const on = createGuardedServer({ inputRequests: { keys: [KEY], maxSuspended: 0 } });
    const second = getRetry(await send(on, sentCall, await beginCall(on)));
    const inputResponses = { ...second.inputResponses, 'ask-0': { action: 'accept', content: { yes: 'no boolean' } } };
    expect(getText(await send(on, sentCall, { ...second, inputResponses }))).toBe('done');
  });

  it('are requested again when missing [mrtr.missing-responses-reasked]', async () => {
    for (const maxSuspended of [0, 10]) {
      const on = createGuardedServer({ inputRequests: { keys: [KEY], maxSuspended } });
      const { requestState } = await beginCall(on);
      const again = await send(on, sentCall, { requestState });
      expect(Object.keys(again.result?.inputRequests ?? {})).toEqual(['ask-0']);
      await expectAccepted(on, getRetry(again));
    }
  });

  it('start the call again without requestState, and are refused with one that was not sealed here [mrtr.request-state-untrusted mrtr.request-state-rejection-code]', async () => {
    const on = createGuardedServer();
    const { inputResponses } = await beginCall(on);
    const { result } = await send(on, sentCall, { inputResponses });
    expect(Object.keys(result?.inputRequests ?? {})).toEqual(['ask-0']);
    for (const requestState of ['', 'round-1'])
      expect((await send(on, sentCall, { inputResponses, requestState })).error).toMatchObject({ code: -32602 });
    expect(on.ran.filter(each => each === 'step between')).toEqual([]);
  });
});

describe('a call without input requests', () => {
  it('ignores requestState [mrtr.unsupported-methods]', async () => {
    const on = createGuardedServer();
    const { requestState } = await beginCall(on);
    const { result } = await send(on, { method: 'tools/list', params: {} }, { requestState });
    expect(result).toMatchObject({ resultType: 'complete' });
  });
});
