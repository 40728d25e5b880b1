import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelPreferences } from '../../../tenon/src/protocol/input-requests.js';
import { createBroker } from './broker.js';
import { asking, IMAGE, weather } from './fixtures/requests.js';
import { scriptedModel } from './fixtures/scripted-model.js';
import { rank } from './model-choice.js';

const models = [
  scriptedModel(['x'], { name: 'claude-3-opus', scores: { cost: 0.1, speed: 0.2, intelligence: 0.95 } }),
  scriptedModel(['x'], { name: 'claude-3-haiku', scores: { cost: 0.9, speed: 0.9, intelligence: 0.4 } }),
  scriptedModel(['x'], {
    name: 'gemini-pro',
    replaces: ['claude-3-sonnet'],
    scores: { cost: 0.5, speed: 0.6, intelligence: 0.8 },
  }),
  scriptedModel(['x'], { name: 'plain', takes: {} }),
];
const order = (modelPreferences?: ModelPreferences) =>
  rank(models, asking('x', modelPreferences ? { modelPreferences } : {})).map(({ name }) => name);

describe('rankModels', () => {
  it('returns the configured order without preferences', () => {
    expect(order()).toEqual(models.map(({ name }) => name));
  });

  it('follows the hints in order, and selects the first name that contains one [sampling.hints.in-order] [sampling.hints.substring] [sampling.hints.respected]', () => {
    expect(order({ hints: [{ name: 'gpt' }, {}, { name: '' }, { name: 'Haiku' }, { name: 'opus' }] })).toEqual([
      'claude-3-haiku',
    ]);
    expect(order({ hints: [{ name: 'opus' }, { name: 'haiku' }] })).toEqual(['claude-3-opus']);
    expect(order({ hints: [{ name: 'gpt' }] })).toHaveLength(4);
  });

  it('maps a hint to a model that replaces it [sampling.hints.mapped]', () => {
    expect(order({ hints: [{ name: 'sonnet' }] })).toEqual(['gemini-pro']);
  });

  it('orders the models of a hint by priorities [sampling.hints.before-priorities]', () => {
    expect(order({ hints: [{ name: 'claude-3' }], intelligencePriority: 1 })).toEqual([
      'claude-3-opus',
      'gemini-pro',
      'claude-3-haiku',
    ]);
    expect(order({ hints: [{ name: 'opus' }], costPriority: 1, speedPriority: 1 })).toEqual(['claude-3-opus']);
    expect(order({ costPriority: 1 })).toEqual(['claude-3-haiku', 'gemini-pro', 'plain', 'claude-3-opus']);
    expect(order({ costPriority: 0.2, speedPriority: 1, intelligencePriority: 9 })[0]).toBe('gemini-pro');
    expect(order({ costPriority: Number.NaN, speedPriority: -5, intelligencePriority: 9 })[0]).toBe('claude-3-opus');
  });

  it('selects models that support the request', () => {
    const image = { role: 'user' as const, content: { type: 'image' as const, data: IMAGE, mimeType: 'image/png' } };
    const names = (request: Parameters<typeof rank>[1]) => rank(models, request).map(({ name }) => name);
    for (const request of [asking('x', { messages: [image] }), asking('x', { tools: [weather] })])
      expect(names(request)).not.toContain('plain');
    expect(names(asking('x', { messages: [image], modelPreferences: { hints: [{ name: 'plain' }] } }))).toHaveLength(3);
  });

  it('returns the same each time, and omits none that no hint excludes', () => {
    const priority = fc.option(fc.double(), { nil: undefined });
    const preferences = fc.record({ costPriority: priority, speedPriority: priority, intelligencePriority: priority });
    fc.assert(
      fc.property(preferences, given => {
        const wanted = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        expect(order(wanted)).toEqual(order(wanted));
        expect([...order(wanted)].sort()).toEqual(models.map(({ name }) => name).sort());
      }),
    );
  });

  it('leaves the final choice to the host [sampling.model-preferences-advisory]', async () => {
    const who = { server: 'a', signal: new AbortController().signal };
    const request = asking('x', { modelPreferences: { hints: [{ name: 'opus' }] } });
    const broker = createBroker({ models, allow: { a: true }, choose: () => models[1] });
    await expect(broker(request, who)).rejects.toMatchObject({ code: 'sampling/choice' });
    const other = createBroker({ models, allow: { a: true }, choose: candidates => candidates.at(-1) });
    expect((await other(asking('x', { modelPreferences: { costPriority: 1 } }), who)).model).toBe('claude-3-opus');
  });
});
