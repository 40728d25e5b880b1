import type { TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tasks } from '../extensions/tasks/tasks.js';
import { prompt } from './definitions/prompt.js';
import { resource } from './definitions/resource.js';
import { tool } from './definitions/tool.js';
import { describeExposedError, type ExposeErrors } from './exposed-errors.js';
import { createServer } from './server.js';

const broken = new Error('No account 7', { cause: new Error('the cause') });
const fail = (): never => {
  throw broken;
};

async function start(exposeErrors: ExposeErrors | undefined, protocolVersion: string, own: ExposeErrors | undefined) {
  const errors: TenonError[] = [];
  const own2 = own === undefined ? {} : { exposeErrors: own };
  const server = createServer({
    name: 's',
    version: '1',
    onError: error => void errors.push(error),
    ...(exposeErrors === undefined ? {} : { exposeErrors }),
    extensions: [tasks()],
    tools: {
      pay: tool({ ...own2, run: fail }),
      job: tool({ ...own2, task: 'optional', run: async () => fail() }),
    },
    prompts: {
      p: prompt({
        ...own2,
        complete: { a: fail },
        input: { type: 'object', properties: { a: { type: 'string' } } },
        run: fail,
      }),
    },
    resources: { 'note://a': resource({ ...own2, read: fail }) },
    methods: { 'x/y': { run: fail } },
  });
  const client = await connectPair(server, { protocolVersion });
  const getText = (error: TenonError) => [error.rpcCode, error.summary];
  const seen = {
    tool: (await client.callTool('pay')).content,
    prompt: await client.getPrompt('p').catch(getText),
    resource: await client.readResource('note://a').catch(getText),
    completion: await client
      .call('completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } })
      .catch(getText),
    method: await client.call('x/y').catch(getText),
  };
  await client.close();
  return { seen, errors };
}

describe.each(protocolVersions)('the message of a thrown error on %s', protocolVersion => {
  it('stays hidden by default', async () => {
    const { seen } = await start(undefined, protocolVersion, undefined);
    const masked = [-32603, 'Internal error'];
    expect(seen).toMatchObject({
      tool: [{ text: 'Tool pay failed' }],
      prompt: masked,
      resource: masked,
      completion: masked,
      method: masked,
    });
  });

  it('reaches the client with `exposeErrors`, and `onError` gets the whole error', async () => {
    const { seen, errors } = await start(true, protocolVersion, undefined);
    const shown = [-32603, 'No account 7'];
    expect(seen).toMatchObject({
      tool: [{ text: 'No account 7' }],
      prompt: shown,
      resource: shown,
      completion: shown,
      method: shown,
    });
    expect(JSON.stringify(seen)).not.toMatch(/cause|exposed-errors/);
    expect(errors.map(({ cause }) => cause)).toEqual(errors.map(() => broken));
    expect(errors).toHaveLength(5);
  });

  it('follows the option of the definition before that of the server', async () => {
    const { seen } = await start(true, protocolVersion, false);
    expect(seen).toMatchObject({ tool: [{ text: 'Tool pay failed' }], prompt: [-32603, 'Internal error'] });
    const { seen: own } = await start(false, protocolVersion, error => `E: ${(error as Error).message}`);
    expect(own).toMatchObject({ tool: [{ text: 'E: No account 7' }], resource: [-32603, 'E: No account 7'] });
  });
});

describe.each(['2025-11-25', '2026-07-28'])('the message of an error in a task on %s', protocolVersion => {
  it('reaches the client with `exposeErrors`', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      onError: () => {},
      exposeErrors: true,
      extensions: [tasks()],
      tools: { job: tool({ task: 'required', run: fail }) },
    });
    const client = await connectPair(server, { protocolVersion });
    const handle = await client.tasks.start('job', {});
    expect(await handle.toolResult()).toMatchObject({ isError: true, content: [{ text: 'No account 7' }] });
    await client.close();
  });
});

describe('describeExposedError', () => {
  const secret = `sk-${'a1B2'.repeat(10)}`;
  it.each<[string, unknown, string | undefined]>([
    ['removes secrets', new Error(`key ${secret} refused`), 'key … refused'],
    ['removes a password in a URL', new Error('postgres://me:hunter2@db/x failed'), 'postgres://…@db/x failed'],
    ['removes paths', new Error("ENOENT: no such file, open '/home/me/.secret'"), "ENOENT: no such file, open '…'"],
    ['removes Windows paths and file URLs', new Error('C:\\Users\\me and file:///etc/passwd'), '… and …'],
    [
      'keeps the path of a URL',
      new Error('GET https://api.example/notes/1: 404'),
      'GET https://api.example/notes/1: 404',
    ],
    ['removes lines of a stack', new Error('broken\n    at run (/srv/app.ts:1:2)\n    at next'), 'broken'],
    ['shows a thrown text', 'no such city', 'no such city'],
    ['hides a thrown object without a message', { password: 'x' }, undefined],
    ['hides an error without a message', new Error(''), undefined],
    [
      'hides a thrown object whose message cannot be read',
      {
        get message(): string {
          throw new Error('inside');
        },
      },
      undefined,
    ],
  ])('%s', (_, error, text) => expect(describeExposedError(error, true)).toBe(text));

  it('limits the text to 500 characters', () => {
    const text = describeExposedError(new Error('a '.repeat(1000)), true);
    expect(text).toHaveLength(500);
    expect(text).toMatch(/…$/);
  });

  it('removes secrets from the text of a function, and hides the error when it fails', () => {
    expect(describeExposedError(broken, () => `key ${secret}`)).toBe('key …');
    expect(describeExposedError(broken, () => undefined)).toBeUndefined();
    expect(describeExposedError(broken, fail)).toBeUndefined();
  });
});
