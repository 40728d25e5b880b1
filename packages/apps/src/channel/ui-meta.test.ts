import { describe, expect, it } from 'vitest';
import { getAppUri, isVisibleTo } from './ui-meta.js';

describe('getAppUri', () => {
  it('reads the nested key first, then the flat key', () => {
    const flat = { 'ui/resourceUri': 'ui://flat' };
    expect(getAppUri({ _meta: { ui: { resourceUri: 'ui://nested' }, ...flat } })).toBe('ui://nested');
    expect(getAppUri({ _meta: { ui: { visibility: ['app'] }, ...flat } })).toBe('ui://flat');
  });

  it.each([undefined, {}, { ui: 'ui://a' }, { ui: { resourceUri: 3 } }, { ui: { resourceUri: 'https://a' } }])(
    'returns undefined for %j',
    _meta => {
      expect(getAppUri({ _meta })).toBeUndefined();
    },
  );
});

describe('isVisibleTo', () => {
  it.each([
    [undefined, true, true],
    [['model', 'app'], true, true],
    [['app'], false, true],
    [['model'], true, false],
    [[], false, false],
    ['app', false, false],
  ])(
    'reads the visibility %j [ext-apps.visibility-default, ext-apps.visibility-model-hidden]',
    (visibility, model, app) => {
      const tool = { _meta: { ui: visibility === undefined ? {} : { visibility } } };
      expect([isVisibleTo('model', tool), isVisibleTo('app', tool)]).toEqual([model, app]);
    },
  );
});
