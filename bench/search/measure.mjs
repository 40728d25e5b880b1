// @ts-check
/**
 * Which share of the tools that people chose for a task the search of a host finds: for the question as it was asked, and
 * for the steps of the task, one search each. A tool of the same name on another server counts too.
 */

import { createHost } from '@tenon/host';
import { createServer, tool } from 'tenon';
import { formatNumber, heading, median, table } from '../report.mjs';
import { isHeldOut, readData } from './data.mjs';

/** @typedef {import('./data.mjs').Task} Task */
/** @typedef {{ question: number, steps: number }} Recall */

const LIMIT = 10;
/** Below it, all tools are listed. */
const BUDGET = 1000;

/** @param {{ rounds: number }} options */
export async function measureSearch({ rounds }) {
  const { servers, tasks } = readData();
  const host = await createHost({ servers: createServices(servers), budget: BUDGET });
  const offered = (await host.client.call('tools/list')).tools;
  const all = servers.flatMap(({ tools }) => tools);
  const owners = new Map(
    servers
      .flatMap(({ server, tools }) => tools.map(({ name }) => /** @type {[string, string]} */ ([name, server])))
      .reverse(),
  );
  const search = createSearch(host);

  /** @type {Record<string, Recall>} */
  const recall = {};
  for (const [part, isWanted] of Object.entries(PARTS)) {
    const kept = tasks.map(task => ({
      ...task,
      wanted: task.wanted.filter(name => owners.has(name) && isWanted(owners.get(name) ?? '')),
    }));
    recall[part] = await measureRecall(
      kept.filter(({ wanted }) => wanted.length > 0),
      search,
    );
  }
  const questions = tasks.map(({ question }) => question);
  /** @type {number[]} */
  const samples = [];
  for (let round = 0; round < rounds; round++) samples.push(await measureTime(questions, search));
  const answer = await host.callTool('search_tools', { query: tasks[0]?.question ?? '', limit: LIMIT });
  await host.close();

  const tokens = {
    all: estimateTokens(all),
    offered: estimateTokens(offered),
    answer: estimateTokens(answer.structuredContent),
  };
  const results = { tools: all.length, servers: servers.length, tasks: tasks.length, recall, samples, tokens };
  return { results, markdown: toMarkdown(results) };
}

/** @param {unknown} value */
const estimateTokens = value => Math.ceil(JSON.stringify(value).length / 4);

/** Servers by half. @type {Record<string, (server: string) => boolean>} */
const PARTS = { all: () => true, tuning: server => !isHeldOut(server), heldOut: isHeldOut };

/** @param {import('./data.mjs').Server[]} servers */
function createServices(servers) {
  return Object.fromEntries(
    servers.map(({ server, description, tools }) => [
      server,
      {
        service: createServer({
          name: server,
          version: '1.0.0',
          description,
          tools: Object.fromEntries(
            tools.map(({ name, description, inputSchema }) => [
              name,
              tool({ ...(description ? { description } : {}), input: keepNames(inputSchema), run: () => 'done' }),
            ]),
          ),
        }),
      },
    ]),
  );
}

/** Some schemas of the data are of old dialects. The search reads the names of the properties alone. @param {any} schema */
const keepNames = schema => ({
  type: /** @type {const} */ ('object'),
  properties: Object.fromEntries(Object.keys(schema?.properties ?? {}).map(name => [name, {}])),
});

/** @param {import('@tenon/host').Host} host @returns {(query: string) => Promise<string[]>} */
const createSearch = host => async query => {
  const { structuredContent } = await host.callTool('search_tools', { query, limit: LIMIT });
  const { tools } = /** @type {{ tools: { name: string, server: string }[] }} */ (structuredContent);
  return tools.map(({ name, server }) => name.slice(name.startsWith(server) ? server.length + 2 : 0));
};

/** @param {Task[]} tasks @param {(query: string) => Promise<string[]>} search @returns {Promise<Recall>} */
async function measureRecall(tasks, search) {
  const shares = { question: 0, steps: 0 };
  for (const { question, steps, wanted } of tasks) {
    const byQuestion = new Set(await search(question));
    const bySteps = new Set((await Promise.all(steps.map(search))).flat());
    shares.question += wanted.filter(name => byQuestion.has(name)).length / wanted.length;
    shares.steps += wanted.filter(name => bySteps.has(name)).length / wanted.length;
  }
  return { question: shares.question / tasks.length, steps: shares.steps / tasks.length };
}

/** Milliseconds of CPU of one search, with the call of the tool. @param {string[]} queries @param {(query: string) => Promise<unknown>} search */
async function measureTime(queries, search) {
  const before = process.cpuUsage();
  for (let at = 0; at < 10; at++) for (const query of queries) await search(query);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (10 * queries.length);
}

/** @param {{ tools: number, servers: number, tasks: number, recall: Record<string, Recall>, samples: number[], tokens: { all: number, offered: number, answer: number } }} results */
function toMarkdown({ tools, servers, tasks, recall, samples, tokens }) {
  const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;
  const rows = Object.entries(recall).map(([part, { question, steps }]) => [
    part === 'heldOut' ? 'held out' : part,
    percent(question),
    percent(steps),
  ]);
  return [
    heading(2, 'The tool search of a host').trim(),
    `LiveMCPBench: ${tasks} tasks, ${tools} tools of ${servers} servers. Recall of the tools that people chose, in the first ${LIMIT} results: for the question as it was asked, and for one search per step. Half of the servers are held out.`,
    table(['servers', 'question', 'steps'], rows).trim(),
    `A search takes ${formatNumber(median(samples))} ms of CPU, with the call of the tool. The three tools and one search result take ${percent((tokens.offered + tokens.answer) / tokens.all)} of the ${tokens.all} tokens of the full list.`,
    '',
  ].join('\n\n');
}
