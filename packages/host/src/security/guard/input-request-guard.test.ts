import { describe, expect, it, vi } from 'vitest';
import { screenInTurns } from '../screening/large-values.js';
import type { HostGuardOptions } from './guard-options.js';
import { InputRequestGuard } from './input-request-guard.js';
import { TextGuard } from './text-guard.js';

const RECIPIENT = { omitMeta: false, includeServer: false };
const form = (message: string) => ({ message, requestedSchema: { type: 'object', properties: {} } });

function setUp(options: HostGuardOptions, { hasOneServer = true, sample = false, roots = undefined as unknown } = {}) {
  const connection = { server: 'notes', scope: { input: { sample }, identity: { principal: 'ann' } }, roots };
  const texts = new TextGuard(options, undefined, screenInTurns);
  return new InputRequestGuard(options, texts, () => hasOneServer).createHandler(connection as never);
}

describe('an input request of a server', () => {
  it('is reported only when screening has a finding [security.consent.sampling]', () => {
    const onScreeningReport = vi.fn();
    const { prepareInputRequest } = setUp({ onScreeningReport });
    expect(prepareInputRequest('elicitation/create', form('Which day?'), RECIPIENT)).toEqual(form('Which day?'));
    expect(onScreeningReport).not.toHaveBeenCalled();
    expect(prepareInputRequest('elicitation/create', form('Which\u202e day?'), RECIPIENT)).toEqual(form('Which day?'));
    expect(onScreeningReport).toHaveBeenCalledWith(
      expect.objectContaining({ server: 'notes', kind: 'elicitation', name: 'elicitation/create' }),
    );
  });

  it('names its server where there are several, and in `_meta` where the recipient wants it', () => {
    const { prepareInputRequest } = setUp({}, { hasOneServer: false });
    expect(prepareInputRequest('elicitation/create', form('Which day?'), RECIPIENT)).toEqual(form('notes: Which day?'));
    const recipient = { omitMeta: true, includeServer: true };
    const params = { messages: [], _meta: { mine: 1 } };
    expect(prepareInputRequest('sampling/createMessage', params, recipient)).toEqual({
      messages: [],
      _meta: { 'dev.tenon/server': 'notes' },
    });
    expect(prepareInputRequest('sampling/createMessage', params, RECIPIENT)).toEqual(params);
  });

  it('stays unchanged without screening', () => {
    const { prepareInputRequest } = setUp({ screening: false });
    expect(prepareInputRequest('elicitation/create', form('a\u202e'), RECIPIENT)).toEqual(form('a\u202e'));
  });

  it('is answered by the host where the host has the response', async () => {
    const broker = vi.fn(
      async () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'x' } }) as never,
    );
    const answersSampling = (options: HostGuardOptions, sample: boolean) =>
      setUp(options, { sample }).isHandledByHost('sampling/createMessage');
    expect(answersSampling({}, false)).toBe(false);
    expect(answersSampling({ broker }, false)).toBe(true);
    expect(answersSampling({ broker }, true)).toBe(false);
    expect(answersSampling({ broker, sampling: 'all' }, true)).toBe(true);
    expect(setUp({ broker, sampling: 'all' }).isHandledByHost('elicitation/create')).toBe(false);
    expect(setUp({}).isHandledByHost('roots/list')).toBe(false);
    const handler = setUp({}, { roots: [{ uri: 'file:///a' }] });
    expect(handler.isHandledByHost('roots/list')).toBe(true);
    expect(await handler.handle('roots/list', {})).toEqual({ roots: [{ uri: 'file:///a' }] });
  });
});
