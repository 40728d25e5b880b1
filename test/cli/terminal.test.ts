import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildCommand, projectWith, shopEntry, tenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';
import { type Answer, hasTerminal, prompt, runOnTerminal } from './on-terminal.js';

const ENTER = '\r';
const DOWN = '\u001b[B';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';
const SURVEY = {
  type: 'object',
  properties: {
    size: { type: 'string', oneOf: ['s', 'm', 'l'].map(size => ({ const: size, title: `size ${size}` })) },
    extras: { type: 'array', items: { type: 'string', enum: ['milk', 'sugar', 'ice'] }, maxItems: 2 },
    hot: { type: 'boolean' },
    name: { type: 'string', default: 'Ada' },
    note: { type: 'string' },
    password: { type: 'string' },
  },
  required: ['size', 'extras', 'hot', 'name', 'password'],
} as const;

let project: Awaited<ReturnType<typeof projectWith>>;
let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
let cafe: HttpServer;
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({ corner: shopEntry() });
  kitchen = await serveKitchen();
  const survey = tool({
    run: async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'Your order?', input: SURVEY })),
  });
  const count = tool({
    async run(_, ctx) {
      ctx.progress(1, 2, 'half');
      await sleep(200);
      return 'counted';
    },
  });
  cafe = await serveHttp(createServer({ name: 'cafe', version: '1.0.0', tools: { survey, count } }), { port: 0 });
});
afterAll(() => Promise.all([project.remove(), kitchen.close(), cafe.close()]));

const order = (...answers: Answer[]) =>
  runOnTerminal(project.folder, ['call', kitchen.url, 'order', 'item=apples'], answers);

describe.skipIf(!hasTerminal)('prompts on a terminal', () => {
  it('appear for the fields of a form one by one, again after an invalid value [cli.tty, cli.call]', async () => {
    const { code, shown } = await order(
      [prompt('Answer?'), 'y'],
      [prompt('count'), `99${ENTER}`],
      ['expected a number of at most 10', `\u007f\u007f3${ENTER}`],
    );
    expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining('ordered 3 apples') });
    expect(shown).toContain('asks: How many apples?');
    const declined = await order([prompt('Answer?'), 'n']);
    expect(declined.shown).toContain('not ordered: decline');
  });

  it('select options by arrow keys, mask secrets, and keep standard output for the result', async () => {
    const { code, shown, unasked } = await runOnTerminal(
      project.folder,
      ['call', '--json', cafe.url, 'survey'],
      [
        [prompt('Answer?'), 'y'],
        [prompt('size'), DOWN + ENTER],
        [prompt('extras'), ` ${DOWN} ${DOWN} ${ENTER}`],
        // Three extras are too many.
        ['Not valid: expected', ''],
        [prompt('extras'), ` ${ENTER}`],
        [prompt('hot'), 'y'],
        [prompt('name'), ` L.${ENTER}`],
        [prompt('note (optional)'), ENTER],
        [prompt('password'), `s3cret${ENTER}`],
      ],
      { stdout: 'result.json' },
    );
    expect([code, unasked]).toEqual([0, []]);
    const { content } = JSON.parse(readFileSync(project.path('result.json'), 'utf8'));
    expect(JSON.parse(content[0].text)).toEqual({
      action: 'accept',
      content: { size: 'm', extras: ['sugar', 'ice'], hot: true, name: 'Ada L.', password: 's3cret' },
    });
    expect(shown).toContain('seems to ask for a secret');
    expect(shown).toContain('▪▪▪▪▪▪');
    expect(shown).not.toContain('s3');
    // The sequences of colors: 30 to 49, and 90 to 107.
    expect(shown).not.toMatch(/\u001b\[(?:3|4|9|10)\dm/);
  });

  it('are cancelled by Escape, and end by Ctrl-C', async () => {
    const cancelled = await order([prompt('Answer?'), ESCAPE]);
    expect(cancelled.shown).toContain('not ordered: cancel');
    const field = await order([prompt('Answer?'), 'y'], [prompt('count'), ESCAPE]);
    expect(field.shown).toContain('not ordered: cancel');
    const interrupted = await order([prompt('Answer?'), CTRL_C]);
    expect(interrupted.code).toBe(130);
    expect(interrupted.shown).not.toContain('not ordered');
    // The cursor is hidden while a prompt is open.
    expect(interrupted.shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(interrupted.shown.lastIndexOf('\u001b[?25l'));
  });

  it('delay messages of a gateway until the user has responded', async () => {
    const rules = [{ action: 'ask', tool: 'price' }, { action: 'allow' }];
    await project.write('policy.json', { rules });
    const servers = (...names: string[]) => ({
      mcpServers: Object.fromEntries(names.map(name => [name, shopEntry()])),
    });
    let called: Promise<unknown> = Promise.resolve();
    const { shown } = await runOnTerminal(
      project.folder,
      ['gateway', '--trust', '--port', '0', '--policy', 'policy.json', '--approve', 'terminal', '--prefix', 'always'],
      [
        [
          'Ctrl-C ends it',
          async text => {
            const client = await connect(/http:\S+\/mcp/.exec(text)?.[0] ?? '');
            called = client.callTool('corner__price', { of: 'tea' }).finally(() => client.close());
            called.catch(() => {});
            return '';
          },
        ],
        [
          prompt('Allow it?'),
          async text => {
            await project.write('mcp.json', servers('corner', 'harbour'));
            const client = await connect(/http:\S+\/mcp/.exec(text)?.[0] ?? '');
            await vi.waitFor(
              async () => expect(JSON.stringify(await client.callTool('harbour__process'))).toContain('text'),
              { timeout: 20_000, interval: 100 },
            );
            await client.close();
            return DOWN + ENTER;
          },
        ],
        [
          'server harbour: added',
          async () => {
            await called;
            return CTRL_C;
          },
        ],
      ],
    );
    expect(await called).toMatchObject({ content: [{ text: 'tea costs 3' }] });
    expect(shown).toMatch(/Allow it\?[^◇]*◇ {2}Allow it\?\s+│ {2}Yes, once\s[^◇]*server harbour: added/);
  });

  it('have colours on a terminal only, and none with NO_COLOR [cli.tty]', async () => {
    const list = ['list', kitchen.url];
    const colours = { NO_COLOR: '' };
    const { code, shown } = await runOnTerminal(project.folder, list, [], { env: colours });
    expect([code, shown]).toEqual([0, expect.stringContaining('\u001b[1mkitchen 1.0.0\u001b[22m')]);
    expect((await runOnTerminal(project.folder, list, [])).shown).not.toContain('\u001b[1m');
    expect((await tenon(project.folder, list, colours)).out).not.toContain('\u001b');
  });

  it('do not appear on a terminal with --no-input [cli.tty]', async () => {
    const waitingCall = await runOnTerminal(
      project.folder,
      ['call', kitchen.url, 'order', 'item=apples', '--no-input'],
      [],
    );
    expect([waitingCall.code, waitingCall.shown]).toEqual([9, expect.stringContaining('tenon answer')]);
    await project.write('mcp.json', { mcpServers: { asked: shopEntry() } });
    for (const name of ['list asked', 'lock']) {
      const { code, shown } = await runOnTerminal(project.folder, [...name.split(' '), '--no-input'], []);
      expect([name, code, shown]).toEqual([name, 6, expect.not.stringContaining(prompt(''))]);
    }
    const declined = await runOnTerminal(project.folder, ['list', 'asked'], [[prompt('Run it?'), ENTER]]);
    expect([declined.code, declined.unasked]).toEqual([6, []]);
    const approved = await runOnTerminal(project.folder, ['list', 'asked'], [[prompt('Run it?'), 'y']]);
    expect([approved.code, approved.unasked]).toEqual([0, []]);
  });

  it('show the progress of a call on standard error, if it is a terminal [cli.call]', async () => {
    const call = ['call', cafe.url, 'count'];
    const { code, shown } = await runOnTerminal(project.folder, call, [], { stdout: 'out.txt' });
    expect([code, shown]).toEqual([0, expect.stringContaining('50 %  half')]);
    expect(readFileSync(project.path('out.txt'), 'utf8')).toBe('counted\n');
    expect(await tenon(project.folder, call)).toEqual({ code: 0, out: 'counted\n', err: '' });
  });
});
