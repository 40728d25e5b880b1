import { describe, expect, it } from 'vitest';
import { findMissingForRequest, hasCapability } from './missing-capabilities.js';

describe('hasCapability', () => {
  it.each([
    [{ tools: {} }, 'tools', true],
    [{ resources: { subscribe: true } }, 'resources.subscribe', true],
    [{ resources: { subscribe: false } }, 'resources.subscribe', false],
    [{ resources: {} }, 'resources.subscribe', false],
    [{ tools: null }, 'tools', false],
    [{ tools: false }, 'tools', false],
    [{ tools: 'x' }, 'tools.length', false],
    [{}, 'tools', false],
  ])('returns for %j and %s: %s', (capabilities, path, is) => expect(hasCapability(capabilities, path)).toBe(is));

  it('returns false for a name of a prototype', () => {
    for (const path of ['constructor', 'toString', '__proto__', 'tools.constructor'])
      expect(hasCapability({ tools: {} }, path)).toBe(false);
  });
});

describe('findMissingForRequest', () => {
  it.each([
    ['form mode, of one without', 'elicitation/create', {}, {}, { elicitation: {} }],
    [
      'form mode, of one with [elicitation.mode.missing-is-form]',
      'elicitation/create',
      {},
      { elicitation: { form: {} } },
      undefined,
    ],
    [
      'form mode, of an empty one [elicitation.capability.empty-is-form]',
      'elicitation/create',
      { mode: 'form' },
      { elicitation: {} },
      undefined,
    ],
    [
      'form mode, of one with URLs only [elicitation.mode.only-supported]',
      'elicitation/create',
      {},
      { elicitation: { url: {} } },
      { elicitation: {} },
    ],
    [
      'URL mode, of an empty one [elicitation.mode.only-supported]',
      'elicitation/create',
      { mode: 'url' },
      { elicitation: {} },
      { elicitation: { url: {} } },
    ],
    [
      'URL mode, of one with both',
      'elicitation/create',
      { mode: 'url' },
      { elicitation: { form: {}, url: {} } },
      undefined,
    ],
    ['a model', 'sampling/createMessage', {}, {}, { sampling: {} }],
    [
      'a model with tools [sampling.tools.not-sent-undeclared]',
      'sampling/createMessage',
      { tools: [] },
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
    [
      'a tool choice [sampling.tools.not-sent-undeclared]',
      'sampling/createMessage',
      { toolChoice: {} },
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
    [
      'a model with tools, of one that has both',
      'sampling/createMessage',
      { tools: [] },
      { sampling: { tools: {} } },
      undefined,
    ],
    ['its roots', 'roots/list', {}, {}, { roots: {} }],
    ['its roots, of one that has them', 'roots/list', {}, { roots: {} }, undefined],
    ['anything else', 'com.example/ask', {}, {}, undefined],
  ])('finds the missing capability: %s', (_, method, params, has, lacks) =>
    expect(findMissingForRequest(method, params, has)).toEqual(lacks),
  );
});
