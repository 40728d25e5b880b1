import { describe, expect, it } from 'vitest';
import { requireClientOptions, requireHttpTarget, requireStdioTarget } from './option-checks.js';

/** Passes arguments as JavaScript does, without types. */
const check = (require: (given: never) => void, given: object) => () => require(given as never);

describe('an option at the wrong place of connect', () => {
  it.each(['auth', 'headers', 'fetch', 'transport'])('leads %s from the options to the target of a URL', name => {
    expect(check(requireClientOptions, { [name]: 'a' })).toThrow(`write \`connect({ url, ${name} })\``);
  });

  it.each(['env', 'cwd', 'args', 'stderr'])('leads %s from the options to the target of a command', name => {
    expect(check(requireClientOptions, { [name]: 'a' })).toThrow(`write \`connect({ command, ${name} })\``);
  });

  it('leads options of the client from a target to the second argument', () => {
    const hint = 'write `connect(target, { elicit })`';
    expect(check(requireHttpTarget, { url: 'https://a.example/mcp', elicit() {} })).toThrow(hint);
    expect(check(requireStdioTarget, { command: 'node', elicit() {} })).toThrow(hint);
  });

  it('leads a handler of errors to the event of the client', () => {
    expect(check(requireClientOptions, { onError() {} })).toThrow(
      "Listen to the event of the client: client.on('error'",
    );
  });

  it('leads members of one kind of target to the other', () => {
    expect(check(requireHttpTarget, { url: 'https://a.example/mcp', env: {} })).toThrow('`connect({ command, env })`');
    expect(check(requireStdioTarget, { command: 'node', auth: 'a' })).toThrow('`connect({ url, auth })`');
  });
});
