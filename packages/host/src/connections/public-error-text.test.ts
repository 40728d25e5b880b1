import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { describePublicly } from './public-error-text.js';

describe('describePublicly', () => {
  it('names the service account of a server that nobody can sign in to', () => {
    const error = new TenonError('auth/needs-user', 'the server requires a sign-in', { peer: 'https://notes.example' });
    expect(describePublicly(error)).toBe(
      'it requires a sign-in, and this host cannot open a browser. For a service account, set `auth` of the server, or serve it by `tenon bridge --auth client-credentials`',
    );
  });
});
