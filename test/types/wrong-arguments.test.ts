import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createAudit, createPolicy, createQuotas } from '@tenon/host';
import { connect, createServer, TenonError } from 'tenon';
import * as auth from 'tenon/auth';
import { keychainTokenStore } from 'tenon/auth/node';
import { redisStores } from 'tenon/redis';
import { sqliteStores } from 'tenon/sqlite';
import { describe, expect, it } from 'vitest';

/** Functions whose first argument is required, and has no default. */
const FUNCTIONS = {
  protect: auth.protect,
  signIn: auth.signIn,
  clientCredentials: auth.clientCredentials,
  workloadIdentity: auth.workloadIdentity,
  enterpriseManaged: auth.enterpriseManaged,
  createCallerSignIn: auth.createCallerSignIn,
  listSignIns: auth.listSignIns,
  createGuardedFetch: auth.createGuardedFetch,
  redisStores,
  sqliteStores,
  keychainTokenStore,
  createPolicy,
  createAudit,
  createQuotas,
};

/** Arguments of the wrong types, as JavaScript passes them. */
const WRONG: readonly (readonly unknown[])[] = [[], [{}], [null], [7]];

describe('a public function', () => {
  it.each(Object.entries(FUNCTIONS))('refuses wrong arguments of %s with a TenonError', async (_, call) => {
    const thrown: unknown[] = [];
    for (const given of WRONG) {
      try {
        await Reflect.apply(call, undefined, given);
      } catch (error) {
        if (!TenonError.is(error)) thrown.push([given, String(error)]);
      }
    }
    expect(thrown).toEqual([]);
  });

  it.each([
    ['a guard', () => auth.createGuardedFetch({} as never), '`guard` of createGuardedFetch'],
    ['a transport', () => connect((() => undefined) as never), 'the transport of connect'],
    ['options', () => auth.signIn(5 as never), 'the object with the options of signIn'],
  ])('names the missing argument, the expected and the received value, and the next step: %s', async (_, run, name) => {
    const error = await Promise.resolve()
      .then<unknown>(run)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TenonError', message: expect.stringContaining(name) });
    expect(error).toMatchObject({
      message: expect.stringMatching(/Expected an object, got .+\. Pass an object/),
    });
  });

  const server = createServer({ name: 'a', version: '1' });
  const sdkTransport = new StdioClientTransport({ command: 'a' });

  it.each([
    [
      'a transport of the SDK',
      () => connect(sdkTransport as never),
      'connect/target',
      'Expected a URL, { url }, { command,',
    ],
    [
      'a transport of the SDK',
      () => server.connect(new StdioServerTransport() as never),
      'options/invalid',
      '`transport.open`',
    ],
    ['nothing', () => Reflect.apply(server.connect, server, []), 'options/invalid', '`transport.open`'],
    ['a text', () => server.connect('stdio' as never), 'options/invalid', '`transport.open`'],
  ])('refuses %s in place of a transport', async (_, run, code, problem) => {
    const error = await Promise.resolve()
      .then<unknown>(run)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TenonError', code, message: expect.stringContaining(problem) });
  });
});
