import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connect, createServer, protocolVersions, type Tool, tool } from '../../../tenon/src/index.js';
import { countToolTokens } from '../catalog/budget/token-report.js';
import type { HostOptions } from '../host-options.js';
import { createHost } from '../index.node.js';

/** A server that counts its effects. */
const createNotes = () => {
  const added: string[] = [];
  const server = createServer({
    name: 'notes',
    version: '1.0.0',
    onError: () => {},
    tools: {
      add: tool({
        input: z.object({ text: z.string() }),
        run: ({ text }) => {
          added.push(text);
          return `added ${text}`;
        },
      }),
      list: tool({ output: z.object({ notes: z.array(z.string()) }), run: () => ({ notes: added }) }),
      fail: tool({
        run: (_, ctx) => ctx.fail('no room is left'),
      }),
    },
  });
  return { server, added };
};

const openHost = async (options: Partial<HostOptions> = {}) => {
  const { server, added } = createNotes();
  const host = await createHost({
    servers: { notes: { service: server } },
    codeMode: 'offer',
    onError: () => {},
    ...options,
  });
  const run = async (program: string, more = {}) => {
    const { content, isError = false, _meta } = await host.callTool('run_program', { program, ...more });
    return {
      text: content.map(block => ('text' in block ? block.text : '')).join('\n'),
      isError,
      meta: _meta?.['dev.tenon/program'],
    };
  };
  return { host, added, run };
};

describe('code mode', () => {
  it('runs a program whose calls reach the servers, and returns only its result', async () => {
    const { host, added, run } = await openHost();
    const program = `
      const texts = ['a', 'b', 'c'];
      await Promise.all(texts.map(text => tools.notes__add({ text })));
      const { notes } = await call('notes__list');
      return notes.length;`;
    expect(await run(program)).toMatchObject({ text: '3', isError: false, meta: { calls: 4 } });
    expect(added).toEqual(['a', 'b', 'c']);
    await host.close();
  });

  it('throws in the program when a call fails, and tells line and reason otherwise', async () => {
    const { host, run } = await openHost();
    expect(
      await run(`try { await tools.notes__fail() } catch (error) { return [error.code, error.message] }`),
    ).toMatchObject({
      text: '["tool/failed","no room is left"]',
    });
    const failed = await run(`await tools.notes__add({ text: 'x' });\nawait tools.notes__fail();`);
    expect(failed).toMatchObject({ isError: true, meta: { code: 'program/threw', calls: 2 } });
    expect(failed.text).toBe(
      'The program failed in line 2: ToolError: no room is left. Its calls, which stay in effect: notes__add (done), notes__fail (failed: tool/failed).',
    );
    expect((await run(`return await tools.no_such()`)).text).toContain('Unknown tool');
    await host.close();
  });

  it('refuses a result of more than 262,144 characters, and keeps the effects of its calls', async () => {
    const { host, added, run } = await openHost();
    // The text is quoted.
    const returned = await run(`return 'x'.repeat(${262_144 - 2})`);
    expect(returned).toMatchObject({ isError: false, meta: { calls: 0 } });
    expect(returned.text).toHaveLength(262_144);
    const refused = await run(`await tools.notes__add({ text: 'x' });\nreturn 'x'.repeat(${262_144 - 1})`);
    expect(refused).toMatchObject({ isError: true, meta: { code: 'program/output', calls: 1 } });
    expect(refused.text).toBe(
      'The program failed: its result has 262145 characters of JSON. The limit is 262144. Return less, for example only the members that you need. Its calls, which stay in effect: notes__add (done).',
    );
    expect(added).toEqual(['x']);
    await host.close();
  });

  it('does not send a call whose arguments exceed 262,144 characters, and throws for a call with a larger result', async () => {
    const { host, added, run } = await openHost();
    const catching = (call: string) => `try { ${call} } catch (error) { return [error.code, error.message] }`;
    const sent = await run(catching(`await tools.notes__add({ text: 'x'.repeat(262144) })`));
    expect(sent).toMatchObject({ isError: false, meta: { calls: 0 } });
    expect(sent.text).toContain('the arguments of notes__add have 262155 characters of JSON. The limit is 262144');
    expect(added).toEqual([]);
    await run(`await tools.notes__add({ text: 'x'.repeat(131072) })`);
    const listed = await run(catching(`await tools.notes__list()`));
    expect(listed.text).toContain('"program/result-too-large"');
    expect(listed.text).toContain('notes__list was carried out, but its result has');
    await host.close();
  });
});

describe('the policy of code mode', () => {
  const list = async (options: Partial<HostOptions>) => {
    const { host } = await openHost(options);
    const tools: Tool[] = [];
    for await (const each of host.client.listTools()) tools.push(each);
    const search = tools.find(({ name }) => name === 'search_tools')?.description ?? '';
    const direct = await host.callTool('notes__add', { text: 'x' }).then(
      () => true,
      () => false,
    );
    await host.close();
    return { names: tools.map(({ name }) => name), search, direct };
  };
  const own = ['notes__add', 'notes__list', 'notes__fail'];
  const added = ['search_tools', 'describe_tools', 'run_program'];

  it('offers programs beside the tools', async () => {
    const { names, search, direct } = await list({ codeMode: 'offer' });
    expect(names).toEqual([...own, ...added]);
    expect(search).toMatch(/call with run_program/);
    expect(search).not.toContain('not listed');
    expect(direct).toBe(true);
  });

  it('offers programs in place of the tools, which can be called directly by default', async () => {
    const { names, search, direct } = await list({ codeMode: 'default' });
    expect(names).toEqual(added);
    expect(search).toContain('3 tools are not listed here');
    expect(search).toMatch(/call with run_program/);
    expect(direct).toBe(true);
  });

  it('refuses direct calls if only programs may call tools', async () => {
    const { names, direct } = await list({ codeMode: 'only' });
    expect(names).toEqual(added);
    expect(direct).toBe(false);
  });

  it('names the tool that calls what was found within a budget', async () => {
    const { names, search } = await list({ codeMode: 'offer', budget: 1 });
    expect(names).toEqual(['search_tools', 'describe_tools', 'call_tool', 'run_program']);
    expect(search).toMatch(/call with call_tool/);
  });
});

it('ends a program that makes more calls than the limit', async () => {
  const { host, added, run } = await openHost({ codeMode: { policy: 'offer', maxCalls: 3 } });
  const { isError, text } = await run(`for (let n = 0; n < 9; n++) await tools.notes__add({ text: String(n) });`);
  expect([isError, added]).toEqual([true, ['0', '1', '2']]);
  expect(text).toContain('3');
  await host.close();
});

it.each([
  ['throw 5', 'the program threw 5.'],
  ['throw undefined', 'the program threw undefined.'],
  ['throw 10n', 'the program threw 10.'],
  ['throw Symbol()', 'the program threw a value of type symbol.'],
  ['throw { code: 1 }', 'the program threw an object without a `message`.'],
  ['throw new Error("no.")', 'Error: no. It made no calls.'],
  ['return await tools.run_program({})', 'A program cannot call run_program. Call it outside of the program.'],
  ['return await tools.search_tools({})', 'A program cannot call search_tools. Call it outside of the program.'],
])('tells why a program failed: %s', async (program, text) => {
  const { host, run } = await openHost();
  expect((await run(program)).text).toContain(text);
  await host.close();
});

it('logs values that JSON cannot contain, and counts the lines that it leaves out', async () => {
  const { host, run } = await openHost({ codeMode: { policy: 'offer', maxOutput: 400 } });
  const { isError, text } = await run(`
    const cyclic = {};
    cyclic.self = cyclic;
    console.log(10n, cyclic, undefined);
    for (const n of [1, 2, 3]) console.log('x'.repeat(60));
    return 1`);
  expect([isError, text.split('\n')]).toEqual([
    false,
    ['1', 'Log:', '10 (a value that JSON cannot contain) undefined', '(3 more lines were too long for the log)'],
  ]);
  await host.close();
});

it('names the calls that a program has not awaited', async () => {
  let finish = () => {};
  const wait = tool({ run: () => new Promise<string>(resolve => (finish = () => resolve('done'))) });
  const service = createServer({ name: 'slow', version: '1.0.0', tools: { wait } });
  const { host, run } = await openHost({ servers: { slow: { service } } });
  const { isError, text } = await run('tools.slow__wait(); return 1');
  expect([isError, text.split('\n')]).toEqual([
    false,
    [
      '1',
      'These calls had not ended when the program ended, and their outcome is unknown: slow__wait. Await each call.',
    ],
  ]);
  finish();
  await host.close();
});

it.each([
  [null, '`codeMode`. Expected off, offer, default, only or an object with `policy`, got null'],
  [true, '`codeMode`. Expected off, offer'],
  [{ policy: 'only', maxMemory: 2 ** 32 + 1 }, '`codeMode.maxMemory`. Expected an integer from 16777216 to 4294967296'],
  [{ policy: 'only', maxComputeTime: 2 ** 31 }, '`codeMode.maxComputeTime`. Expected an integer from 1 to 2147482647'],
  [{ policy: 'only', maxCalls: 0 }, '`codeMode.maxCalls`. Expected an integer of at least 1, got 0'],
])('refuses the option %j', async (codeMode, message) => {
  await expect(openHost({ codeMode: codeMode as never })).rejects.toThrow(message);
});

it('refuses another program with the id of a stored one', async () => {
  const { host, added, run } = await openHost();
  expect(await run(`await tools.notes__add({ text: 'a' }); return 1`, { id: 'x' })).toMatchObject({ text: '1' });
  expect(await run(`await tools.notes__add({ text: 'a' }); return 1`, { id: 'x' })).toMatchObject({ text: '1' });
  expect(added).toEqual(['a']);
  const other = await run('return 2', { id: 'x' });
  expect(other).toMatchObject({ isError: true, meta: { code: 'program/program-differs' } });
  expect(other.text).toContain('belongs to another program');
  await host.close();
});

describe.each(protocolVersions)('code mode on %s', protocolVersion => {
  it('asks for approval in the middle of a program, and continues after it', async () => {
    const { host, added } = await openHost({
      policy: [
        { action: 'ask', tool: 'add', server: 'notes' },
        { action: 'allow', server: 'notes' },
      ],
    });
    const received: string[] = [];
    // Callers of the oldest versions cannot be asked, so an operator answers.
    const stop = host.approvals.watch(async () => {
      for (const { id } of await host.approvals.listPending()) {
        received.push(id);
        await host.approvals.answer(id, 'allow');
      }
    });
    const client = await connect(host.toServer(), {
      protocolVersion,
      elicit: ({ message }) => {
        received.push(message);
        return { action: 'accept', content: { decision: 'once' } };
      },
    });
    const program = `
      await tools.notes__add({ text: 'a' });
      await tools.notes__add({ text: 'b' });
      return (await tools.notes__list()).notes`;
    const { content } = await client.callTool('run_program', { program });
    expect(content).toEqual([{ type: 'text', text: '["a","b"]' }]);
    expect(new Set(received).size).toBe(2);
    expect(added).toEqual(['a', 'b']);
    stop();
    await client.close();
    await host.close();
  });
});

it('lists 2,594 tools in at most 1,000 tokens', async () => {
  const tools = Object.fromEntries(
    Array.from({ length: 2594 }, (_, n) => [
      `tool_${n}`,
      tool({ description: `Does the work ${n}.`, run: () => 'done' }),
    ]),
  );
  const service = createServer({ name: 'many', version: '1.0.0', tools });
  const host = await createHost({ servers: { many: { service } }, codeMode: 'only' });
  const listed: Tool[] = [];
  for await (const each of host.client.listTools()) listed.push(each);
  const tokens = listed.reduce((total, each) => total + countToolTokens(each), 0);
  expect(listed.map(({ name }) => name)).toEqual(['search_tools', 'describe_tools', 'run_program']);
  expect(tokens).toBeLessThanOrEqual(1000);
  await expect(host.callTool('many__tool_1')).rejects.toThrow('programs only');
  const { content } = await host.callTool('run_program', { program: 'return await tools.many__tool_1()' });
  expect(content).toEqual([{ type: 'text', text: '"done"' }]);
  await host.close();
});
