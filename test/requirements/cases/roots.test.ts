import { connectPair, protocolVersions } from '@tenon/testing';
import { createServer, type Root, type TenonError, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { takePart } from '../../support/extent.js';
import type { ProtocolVersion } from '../../support/official-schema.js';
import { createWire } from '../../versions/wire.js';

const server = createServer({
  name: 's',
  version: '1',
  tools: { roots: tool({ run: async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' ') }) },
  onError: () => {},
});

/** What the server learns of the roots, and all that crossed. */
async function learned(protocolVersion: string, roots: readonly Root[] | (() => readonly Root[])) {
  const wire = createWire(protocolVersion as ProtocolVersion);
  const errors: string[] = [];
  const client = await connectPair(server, {
    protocolVersion,
    roots,
    onMessage: (from, message) => wire.crosses(from, message),
  });
  client.on('error', ({ code }) => errors.push(code));
  const answer = await client.callTool('roots').catch((error: TenonError) => error.code);
  await client.close();
  expect(wire.issues).toEqual([]);
  return { answer, errors, crossed: JSON.stringify(wire.crossings) };
}

const out = [
  'file:///home/ada/../bob',
  'file:///..',
  'file:///home/ada/..',
  'file:///home/ada/..?x',
  'file:///home/ada/..#x',
  'file:///home/%2e%2E/bob',
  'file:///home/.%2e/bob',
  'file:///home/ada%2F..%2Fbob',
  'file:///home/ada%2f%2e%2e%2fbob',
  'file:///C:/Users/ada%5C..%5Cbob',
  'file:///C:\\Users\\ada\\..\\bob',
];

describe.each(protocolVersions)('roots on %s', version => {
  it('are sent when they are valid file URIs', async () => {
    const roots = [{ uri: 'file:///home/ada', name: 'Home' }, { uri: 'file:///home/..ada/a..b/...' }];
    const { answer } = await learned(version, () => roots);
    expect(answer).toMatchObject({ content: [{ text: roots.map(({ uri }) => uri).join(' ') }] });
  });

  it.each(takePart(out, protocolVersions.indexOf(version), protocolVersions.length))(
    'are not sent when one leads elsewhere: %s [roots.security.uris-validated]',
    async uri => {
      const { answer, errors, crossed } = await learned(version, [{ uri: 'file:///home/ada' }, { uri }]);
      // The answer is an error of the call, or one that the server gets and passes on.
      if (version === '2026-07-28') expect(answer).toBe('call/unanswered-request');
      else {
        expect(answer).toMatchObject({ isError: true });
        expect(errors).toEqual(['answer/root']);
      }
      expect(crossed).not.toContain('file:');
    },
  );

  it('are not sent when one is no file URI [schema.type.root]', async () => {
    const { crossed } = await learned(version, [{ uri: 'https://example.com/' }]);
    expect(crossed).not.toContain('https://example.com/');
  });
});
