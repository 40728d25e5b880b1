import { afterEach, describe, expect, it } from 'vitest';
import { setServerDefaults, withServerDefaults } from './server-defaults.js';

afterEach(() => setServerDefaults({}));

describe('withServerDefaults', () => {
  const onError = () => {};

  it('adds a default that the definition does not have', () => {
    setServerDefaults({ onError });
    expect(withServerDefaults({})).toMatchObject({ onError });
  });

  it('returns a wrong definition unchanged, so that the server can refuse it', () => {
    setServerDefaults({ onError });
    expect(withServerDefaults(null as never)).toBeNull();
    expect(withServerDefaults(undefined as never)).toBeUndefined();
  });
});
