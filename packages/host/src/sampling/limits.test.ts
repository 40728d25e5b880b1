import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChains } from './budget.js';
import { requestConsent } from './consent.js';
import { estimateRequestTokens } from './content.js';
import { formatErrorExcerpt } from './error-excerpt.js';
import { asking, IMAGE } from './fixtures/requests.js';
import { scriptedModel } from './fixtures/scripted-model.js';

describe('createExcerpt', () => {
  it('returns a short line without keys', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.string({ maxLength: 400 }), (before, after) => {
        const key = 'secret-0123456789abcdef';
        const shown = formatErrorExcerpt(`${before}${key}${after}`, [key]);
        expect(shown).not.toContain(key);
        expect(shown.length).toBeLessThanOrEqual(301);
        expect(shown).not.toMatch(/[\u0000-\u001f\u202a-\u202e]/);
      }),
    );
    expect(
      formatErrorExcerpt('Incorrect API key provided: sk-pr*****abc. x-api-key: abcdefgh Bearer zyxwvut'),
    ).not.toMatch(/abc|zyx/);
  });
});

describe('the helpers of a broker', () => {
  const models = ['a-1', 'a-2', 'b-1'].map(name => scriptedModel([], { name }));
  const names = (pattern: string) =>
    requestConsent(models, { s: [pattern] }, { server: 's', principal: undefined }).map(({ name }) => name);

  it('match models by patterns', () => {
    expect([names('a-1'), names('a*'), names('*1'), names('*'), names('a*1*1'), names('*-*'), names('')]).toEqual([
      ['a-1'],
      ['a-1', 'a-2'],
      ['a-1', 'b-1'],
      ['a-1', 'a-2', 'b-1'],
      [],
      ['a-1', 'a-2', 'b-1'],
      [],
    ]);
  });

  it('let a function allow', () => {
    const allow = ({ principal }: { principal: string | undefined }) => (principal === 'ann' ? ['b*'] : false);
    expect(requestConsent(models, allow, { server: 's', principal: 'ann' })).toEqual([models[2]]);
    expect(requestConsent(models, allow, { server: 's', principal: 'bob' })).toEqual([]);
  });

  it('estimate tokens, without the data of images', () => {
    expect(estimateRequestTokens('x'.repeat(398))).toBe(100);
    const image = { type: 'image', data: IMAGE.repeat(10_000), mimeType: 'image/png' };
    expect(estimateRequestTokens([image])).toBeLessThan(1_510);
  });

  it('count conversations, and forget idle ones', () => {
    const count = createChains(1);
    expect([count('a'), count('a'), count('b')]).toEqual([true, false, true]);
    for (let i = 0; i < 1_000; i++) count(`c${i}`);
    expect(count('a')).toBe(true);
  });

  it('end a scripted model with an error', async () => {
    const model = scriptedModel(['one', { content: [] }]);
    const about = { signal: new AbortController().signal };
    expect(await model.generate(asking(), about)).toMatchObject({ content: { text: 'one' } });
    await model.generate(asking(), about);
    await expect(model.generate(asking(), about)).rejects.toMatchObject({ code: 'model/script-over' });
  });
});
