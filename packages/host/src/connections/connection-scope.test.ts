import { describe, expect, it } from 'vitest';
import type { ClientCapabilities } from '../../../tenon/src/protocol/capabilities.js';
import { dialects } from '../../../tenon/src/protocol/versions/index.js';
import type { ClientSession } from '../../../tenon/src/server/request-context.js';
import type { RequesterInfo } from '../../../tenon/src/server/server-runtime.js';
import { createConnectionScope } from './connection-scope.js';
import { sessionNamed } from './fixtures/stand-in.js';

interface Who {
  readonly principal?: string;
  readonly session?: ClientSession;
  readonly version?: string;
  readonly capabilities?: ClientCapabilities;
}

function whom({ principal, session, version = '2026-07-28', capabilities = {} }: Who): RequesterInfo {
  const auth = principal === undefined ? undefined : { principal };
  return {
    caller: { client: undefined, capabilities, auth },
    dialect: dialects.find(each => each.protocolVersion === version),
    ...(session ? { session } : {}),
  } as unknown as RequesterInfo;
}
const keyOf = (who: Who) => createConnectionScope(whom(who)).key;

describe('createConnectionScope', () => {
  it('separates two principals, and a principal from anonymous callers', () => {
    const principals = [undefined, 'ada', 'bob', 'all', 'null', ''];
    const keys = principals.map(principal => keyOf(principal === undefined ? {} : { principal }));
    expect(new Set(keys).size).toBe(principals.length);
    // A name cannot be made to look like another audience.
    expect(keyOf({ principal: '","all' })).not.toBe(keyOf({ principal: 'all' }));
  });

  it('separates two sessions of one principal, and stays the same in a session', () => {
    const [one, two] = [sessionNamed('one').session, sessionNamed('two').session];
    const sessioned = { principal: 'ada', version: '2025-11-25' };
    expect(keyOf({ ...sessioned, session: one })).not.toBe(keyOf({ ...sessioned, session: two }));
    expect(keyOf({ ...sessioned, session: one })).toBe(keyOf({ ...sessioned, session: one }));
    expect(keyOf({ ...sessioned, session: one })).not.toBe(keyOf(sessioned));
  });

  it('is shared by requests of one principal with the same capabilities', () => {
    expect(keyOf({ principal: 'ada' })).toBe(keyOf({ principal: 'ada' }));
    const kinds: ClientCapabilities[] = [
      {},
      { elicitation: {} },
      { elicitation: { url: {} } },
      { elicitation: { form: {}, url: {} } },
      { sampling: {} },
      { sampling: { tools: {} } },
      { roots: {} },
    ];
    expect(new Set(kinds.map(capabilities => keyOf({ principal: 'ada', capabilities }))).size).toBe(kinds.length);
    expect(keyOf({ capabilities: { elicitation: {} } })).toBe(keyOf({ capabilities: { elicitation: { form: {} } } }));
  });

  it('contains the possible input requests, and the preferred protocol version', () => {
    const elicitation = { url: {} };
    const plain = { form: false, url: false, sample: false, sampleTools: false, roots: false };
    expect(createConnectionScope(whom({ capabilities: { elicitation } })).input).toEqual({ ...plain, url: true });
    expect(createConnectionScope(whom({ version: '2025-06-18' })).preferredVersion).toBe('2025-06-18');
    expect(createConnectionScope(whom({})).preferredVersion).toBeUndefined();
  });
});
