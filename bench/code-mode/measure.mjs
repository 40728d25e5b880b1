// @ts-check
/**
 * Round trips and tokens of the same tasks by tools one by one, and in code mode: with few tools, and with as many as
 * Cloudflare counts for its API. Nothing is timed, so each run finds the same.
 */
import { deepStrictEqual } from 'node:assert';
import { createHost, createTokenReport, estimateTokens } from '@tenon/host';
import { heading, table } from '../report.mjs';
import { createOtherTools, createShop } from './shop.mjs';
import { tasks } from './tasks.mjs';

/** @typedef {import('./tasks.mjs').Task} Task */
/** @typedef {import('./tasks.mjs').ToolCall} ToolCall */
/** @typedef {import('./shop.mjs').Mail} Mail */
/** `roundTrips`: number of times that the model calls tools. `final`: tokens of the context at the end. `read`: tokens of all contexts that the model reads. @typedef {{ roundTrips: number, calls: number, final: number, read: number }} Cost */
/** @typedef {{ tools: number, mode: string, listed: number, listedTokens: number, tasks: Cost[], conversation: Cost }} Measured */

/** Cloudflare: 2,594 operations of its API in 1,069 tokens. */
const MANY = 2594;
const MAX_LISTED_TOKENS = 1000;
const LIMIT = 5;

/** @type {Record<string, { title: string, options: Partial<import('@tenon/host').HostOptions> }>} */
const modes = {
  direct: { title: 'tools one by one', options: {} },
  budget: { title: '`--budget`, tools one by one', options: { budget: 1 } },
  code: { title: '`--code-mode default`', options: { codeMode: 'default' } },
};

export async function measureCodeMode() {
  /** @type {Measured[]} */
  const results = [];
  for (const count of [undefined, MANY])
    for (const mode of Object.keys(modes)) results.push(await measureMode(mode, count));
  const listed = results.find(({ tools, mode }) => tools === MANY && mode === 'code')?.listedTokens ?? Number.NaN;
  if (!(listed <= MAX_LISTED_TOKENS))
    throw new Error(`code mode lists ${listed} tokens, more than ${MAX_LISTED_TOKENS}`);
  return { results, markdown: toMarkdown(results) };
}

/** @param {string} mode @param {number | undefined} count number of tools of the gateway, where it has others @returns {Promise<Measured>} */
async function measureMode(mode, count) {
  /** @type {Cost[]} */
  const costs = [];
  for (const task of tasks) costs.push((await converse(mode, count, [task])).cost);
  const { cost, tools, listed, listedTokens } = await converse(mode, count, tasks);
  return { tools, mode, listed, listedTokens, tasks: costs, conversation: cost };
}

/** Solves tasks in one conversation. @param {string} mode @param {number | undefined} count @param {readonly Task[]} wanted */
async function converse(mode, count, wanted) {
  const { sent, servers } = createShop();
  const own = Object.values(servers).reduce((sum, server) => sum + server.tools.size, 0);
  const all = count === undefined ? servers : { ...servers, other: createOtherTools(count - own) };
  const host = await createHost({
    servers: Object.fromEntries(Object.entries(all).map(([name, service]) => [name, { service }])),
    ...modes[mode]?.options,
  });
  const definitions = [];
  for await (const definition of host.client.listTools()) definitions.push(definition);
  const listedTokens = createTokenReport([{ server: '', tools: definitions }]).total;
  const cost = { roundTrips: 0, calls: 0, final: listedTokens, read: listedTokens };
  /** @type {Set<string>} */
  const known = new Set();

  /** @param {...ToolCall} calls */
  const callTogether = async (...calls) => {
    const results = [];
    for (const call of calls) {
      const result = await host.callTool(call.name, call.arguments);
      if (result.isError) throw new Error(`${call.name}: ${JSON.stringify(result.content)}`);
      cost.final += estimateTokens(JSON.stringify(call)) + estimateTokens(JSON.stringify(result.content));
      results.push(result);
    }
    cost.roundTrips += 1;
    cost.calls += calls.length;
    cost.read += cost.final;
    return results;
  };
  const callForValues = async (/** @type {ToolCall[]} */ ...calls) =>
    (await callTogether(...calls)).map(({ structuredContent }) => structuredContent);
  const callThroughTool = (/** @type {ToolCall[]} */ ...calls) =>
    callForValues(...calls.map(call => ({ name: 'call_tool', arguments: { ...call } })));

  /** Searches for the tools of a task and reads their definitions, where the conversation does not have them. @param {Task} task */
  async function learn({ queries, tools }) {
    const missing = tools.filter(name => !known.has(name));
    if (missing.length === 0) return;
    const searches = queries.filter((_, at) => missing.includes(tools[at] ?? ''));
    const found = /** @type {{ tools: { name: string }[] }[]} */ (
      await callForValues(...searches.map(query => ({ name: 'search_tools', arguments: { query, limit: LIMIT } })))
    );
    const names = found.flatMap(({ tools }) => tools.map(({ name }) => name));
    const lost = missing.filter(name => !names.includes(name));
    if (lost.length > 0) throw new Error(`the search does not find ${lost.join(', ')} among ${names.join(', ')}`);
    await callTogether({ name: 'describe_tools', arguments: { names: missing } });
    for (const name of missing) known.add(name);
  }

  for (const task of wanted) {
    const { answer, mails } = await solve(task);
    const before = sent.length;
    let given;
    if (mode === 'direct') given = await task.direct(callForValues);
    else {
      await learn(task);
      if (mode === 'budget') given = await task.direct(callThroughTool);
      else {
        const [result] = await callTogether({ name: 'run_program', arguments: { program: task.program } });
        given = JSON.parse(result?.content[0]?.type === 'text' ? result.content[0].text : 'null');
      }
    }
    deepStrictEqual([given, sent.slice(before)], [answer, mails]);
  }
  await host.close();
  const tools = Object.values(all).reduce((sum, server) => sum + server.tools.size, 0);
  return { cost, tools, listed: definitions.length, listedTokens };
}

/** The right answer of a task, and the mails that it sends: of servers of their own. @param {Task} task */
async function solve(task) {
  const { sent, servers } = createShop();
  const host = await createHost({
    servers: Object.fromEntries(Object.entries(servers).map(([name, service]) => [name, { service }])),
  });
  const answer = await task.direct(async (...calls) => {
    const results = [];
    for (const call of calls) results.push((await host.callTool(call.name, call.arguments)).structuredContent);
    return results;
  });
  await host.close();
  return { answer, mails: sent };
}

/** @param {readonly Measured[]} results */
function toMarkdown(results) {
  const write = (/** @type {number} */ value) => value.toLocaleString('en-US');
  const titleOf = (/** @type {string} */ mode) => modes[mode]?.title ?? mode;
  const groups = [...new Set(results.map(({ tools }) => tools))];
  const listing = results.map(({ tools, mode, listed, listedTokens }) => [
    write(tools),
    titleOf(mode),
    write(listed),
    write(listedTokens),
  ]);
  const toRows = (/** @type {number} */ tools) =>
    [...tasks.map(({ title }) => title), 'all of them in one conversation'].flatMap((title, at) =>
      results
        .filter(each => each.tools === tools)
        .map(each => {
          const cost = each.tasks[at] ?? each.conversation;
          const figures = [cost.roundTrips, cost.calls, cost.final, cost.read].map(write);
          return [title, titleOf(each.mode), ...figures];
        }),
    );
  const head = ['task', 'mode', 'round trips', 'calls of the model', 'tokens at the end', 'tokens read'];
  return [
    heading(2, 'Tools one by one, and code mode').trim(),
    'Four tasks with the servers of `bench/code-mode`, each solved through a gateway in three modes: the calls and programs are written there, and no model takes part. Answers and sent mails are compared. Calls that do not need each other’s results are made together, in one round trip. Where tools are not listed, those of a task are searched for and described before it, once per conversation.',
    '*Tokens at the end*: definitions, calls and results in the context. *Tokens read*: the sum of the contexts that the model reads, once before each round trip and once for the answer, without the instructions. Tokens are estimated by `estimateTokens` of `@tenon/host`, as in `--budget`.',
    table(['tools of the gateway', 'mode', 'listed', 'tokens of the listed definitions'], listing).trim(),
    ...groups.flatMap(tools => [
      heading(3, `A gateway with ${write(tools)} tools`).trim(),
      table(head, toRows(tools)).trim(),
    ]),
    '',
  ].join('\n\n');
}
