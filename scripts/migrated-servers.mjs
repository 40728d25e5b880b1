// @ts-check
/**
 * Tries `tenon migrate` with published servers: installs each from npm, migrates a
 * copy, starts both, and compares lists and calls. Needs the registry of npm. Prints the rows of the table. Arguments
 * select servers by name. No code of the servers is kept.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../packages/tenon/dist/esm/index.node.js';
import { createArguments } from './example-arguments.mjs';
import { readJson, root, runNpm } from './process.mjs';

/** @typedef {Record<string, any>} Json */
/** @typedef {{ name: string, version: string, args: string[], env: Record<string, string> }} PublishedServer */

const command = join(root, 'packages/cli/dist/tenon.mjs');
/** Longest time of one call, in milliseconds. */
const TIMEOUT = 15_000;

/** Name, version, and arguments or environment variables. @type {[name: string, version: string, line?: string][]} */
const rows = [
  ['@modelcontextprotocol/server-memory', '2026.8.31'],
  ['@modelcontextprotocol/server-filesystem', '2026.8.31', 'CWD'],
  ['@modelcontextprotocol/server-everything', '2026.8.31'],
  ['@modelcontextprotocol/server-sequential-thinking', '2026.8.31'],
  ['@antv/mcp-server-chart', '0.9.10'],
  ['@brave/brave-search-mcp-server', '2.1.4', 'BRAVE_API_KEY=a'],
  ['tavily-mcp', '0.2.22', 'TAVILY_API_KEY=a'],
  ['mcp-server-kubernetes', '4.1.7'],
  ['@kazuph/mcp-fetch', '1.6.3'],
  ['@kazuph/mcp-taskmanager', '1.1.1'],
  ['mcp-server-code-runner', '0.1.8'],
  ['mcp-echarts', '0.7.1'],
  ['@allpepper/memory-bank-mcp', '0.2.2', 'MEMORY_BANK_ROOT=.'],
  ['@angiejones/mcp-selenium', '0.2.3'],
  ['@drawio/mcp', '1.6.1'],
  ['@ericthered926/duckduckgo-mcp-server', '0.6.0'],
  ['@geobio/mcp-open-library', '0.1.6'],
  ['@h1deya/mcp-server-weather', '0.1.3'],
  ['@hugeicons/mcp-server', '0.2.2'],
  ['@itseasy21/mcp-knowledge-graph', '1.0.7'],
  ['@jinzcdev/leetcode-mcp-server', '1.4.0'],
  ['@jpisnice/shadcn-ui-mcp-server', '2.0.0'],
  ['@mcp-get-community/server-curl', '0.1.0'],
  ['@openbnb/mcp-server-airbnb', '0.3.0'],
  ['flightradar-mcp-server', '0.1.2', 'FR24_API_KEY=a FR24_API_URL=http://127.0.0.1:9'],
  // Its telemetry extends classes of the SDK, which no command can replace.
  ['@upstash/context7-mcp', '4.1.1', 'OTEL_SDK_DISABLED=true'],
  ['mcp-git', '0.0.4'],
  ['mcp-hello-world', '1.1.2'],
  ['mcp-maven-deps', '0.2.0'],
  ['mcp-sequentialthinking-tools', '0.0.3'],
  ['@hyperdrive-eng/mcp-nodejs-debugger', '0.2.2'],
];

/** @returns {PublishedServer[]} */
function listServers() {
  return rows.map(([name, version, line = '']) => {
    const words = line.split(' ').filter(Boolean);
    const isVariable = (/** @type {string} */ word) => /^[A-Z_]+=/.test(word);
    return {
      name,
      version,
      args: words.filter(word => !isVariable(word)),
      env: Object.fromEntries(words.filter(isVariable).map(word => word.split('='))),
    };
  });
}

/**
 * Lists and calls everything of a server. Each tool is called with arguments that fit its schema, and without arguments.
 * @param {string} folder @param {PublishedServer} server @returns {Promise<Map<string, string>>} results by request
 */
async function collect(folder, { name, args, env }, protocolVersion = '2025-06-18') {
  const { bin, main } = readJson(join(folder, 'package.json'));
  const file = typeof bin === 'string' ? bin : (Object.values(bin ?? {})[0] ?? main);
  const cwd = await mkdtemp(join(tmpdir(), 'tenon-trial-'));
  /** @type {Map<string, string>} */
  const results = new Map();
  const note = async (/** @type {string} */ request, /** @type {() => Promise<unknown>} */ send) => {
    const result = await send().catch((/** @type {Json} */ error) => ({ error: error.summary ?? error.message }));
    results.set(request, normalize(result, [folder, cwd]));
    return result;
  };
  try {
    const client = await connect(
      {
        command: process.execPath,
        args: [join(folder, file), ...args.map(each => (each === 'CWD' ? cwd : each))],
        cwd,
        env: { HOME: cwd, NO_COLOR: '1', ...env },
      },
      { idleTimeout: TIMEOUT, protocolVersion, validate: 'off' },
    );
    try {
      const lists = /** @type {const} */ (['listTools', 'listPrompts', 'listResources', 'listResourceTemplates']);
      /** @type {Record<string, Json[]>} */
      const found = {};
      for (const list of lists) {
        const entries = [];
        try {
          for await (const entry of /** @type {any} */ (client)[list]()) entries.push(entry);
        } catch {
          // The server does not offer this kind.
        }
        found[list] = entries;
        for (const entry of entries) results.set(`${list} ${entry.uri ?? entry.name}`, normalize(entry, [folder, cwd]));
      }
      for (const tool of found.listTools ?? []) {
        await note(`call ${tool.name}`, () =>
          client.callTool(tool.name, createArguments(tool.inputSchema), { totalTimeout: TIMEOUT }),
        );
        if ((tool.inputSchema.required ?? []).length > 0)
          await note(`call ${tool.name} without arguments`, () =>
            client.callTool(tool.name, {}, { totalTimeout: TIMEOUT }),
          );
      }
      for (const prompt of found.listPrompts ?? []) {
        const given = Object.fromEntries((prompt.arguments ?? []).map((/** @type {Json} */ each) => [each.name, 'a']));
        await note(`prompt ${prompt.name}`, () => client.getPrompt(prompt.name, given));
      }
      for (const { uri } of (found.listResources ?? []).slice(0, 5))
        await note(`read ${uri}`, () => client.readResource(uri));
    } finally {
      await client.close();
    }
  } catch (error) {
    if (/chose a protocol version/.test(String(error)) && protocolVersion !== '2024-11-05')
      return collect(folder, { name, version: '', args, env }, '2024-11-05');
    results.set(`start of ${name}`, String(error).slice(0, 400));
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
  return results;
}

/**
 * Writes a result without what differs from run to run, and without what has another form but the same meaning: the
 * order of members, defaults of JSON Schema and of the protocol, errors as results or as errors of JSON-RPC, and white
 * space around messages of errors.
 * @param {any} result @param {readonly string[]} folders
 */
function normalize(result, folders) {
  const text = result.content?.map((/** @type {Json} */ each) => each.text ?? '').join('\n') ?? result.error;
  const isRefusal = /invalid arguments|input validation error|invalid_type|expected .* received|required/i.test(
    text ?? '',
  );
  const isFailure = result.isError || result.error !== undefined;
  const value = isFailure
    ? {
        failed: isRefusal
          ? 'arguments refused'
          : text.replace(/^MCP error -?\d+: |: last lines of stderr:[\s\S]*/g, '').trim(),
      }
    : result;
  let written = JSON.stringify(sort(value));
  for (const folder of folders) written = written.replaceAll(folder, 'FOLDER');
  // Tenon removes paths of files from messages of errors.
  if (isFailure) written = written.replace(/'(?:FOLDER[^']*|…)'/g, 'PATH');
  return written.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/\b\d+(?:\.\d+)? ?ms\b/g, 'DURATION');
}

/** @param {unknown} value @returns {unknown} */
function sort(value) {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== 'object' || value === null) return value;
  const skipped = ['$schema', 'additionalProperties', 'execution', 'ttlMs', 'cacheScope', 'resultType', 'title'];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !skipped.includes(key) && !(Array.isArray(member) && member.length === 0))
      .filter(([key, member]) => member !== false || !['isError', 'required'].includes(key))
      // All keys of JSON are texts. zod 4 writes it, and zod 3 did not.
      .filter(([key, member]) => key !== 'propertyNames' || JSON.stringify(member) !== '{"type":"string"}')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sort(member)]),
  );
}

/** Links the packages of this project into a folder. @param {string} folder @param {string} name @param {string} target */
async function link(folder, name, target) {
  const path = join(folder, 'node_modules', name);
  await rm(path, { recursive: true, force: true });
  await mkdir(join(path, '..'), { recursive: true });
  await symlink(target, path, 'junction');
}

/** Tries one server. @param {PublishedServer} server */
async function tryServer(server) {
  const { name, version } = server;
  const folder = await mkdtemp(join(tmpdir(), 'tenon-migrated-'));
  try {
    const quiet = [
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--legacy-peer-deps',
      '--prefer-offline',
      '--loglevel=error',
    ];
    await runNpm(['install', '--prefix', folder, ...quiet, `${name}@${version}`], { cwd: folder, stdio: 'ignore' });
    const before = join(folder, 'node_modules', name);
    const after = join(folder, 'after');
    await cp(before, after, { recursive: true });
    await link(after, 'typescript', join(root, 'node_modules/typescript-5'));
    const { stdout, stderr } = spawnSync(process.execPath, [command, 'migrate', after, '--force', '--json'], {
      encoding: 'utf8',
    });
    if (stdout === '') return { name, version, problem: stderr.trim().slice(-300) };
    const report = JSON.parse(stdout);
    await link(after, 'tenon', join(root, 'packages/tenon'));
    // npm installs the dependencies of a package beside it, and some servers resolve modules without following links.
    for (const each of Object.keys(readJson(join(root, 'packages/tenon/package.json')).dependencies))
      await link(after, each, join(root, 'node_modules', each));
    if (/^\^4/.test(readJson(join(after, 'package.json')).dependencies?.zod ?? ''))
      await link(after, 'zod', join(root, 'node_modules/zod'));
    const first = await collect(before, server);
    const second = await collect(before, server);
    const migrated = await collect(after, server);
    const stable = [...first].filter(([request, result]) => second.get(request) === result);
    const differences = stable.filter(([request, result]) => migrated.get(request) !== result);
    return {
      name,
      version,
      files: report.changed.length,
      left: report.findings.filter((/** @type {Json} */ each) => each.kind === 'left').length,
      compared: stable.length,
      same: stable.length - differences.length,
      start: [...migrated].find(([request]) => request.startsWith('start of'))?.[1],
      differences: differences.map(([request, result]) => ({ request, before: result, after: migrated.get(request) })),
      findings: report.findings,
    };
  } catch (error) {
    return { name, version, problem: String(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const selected = process.argv.slice(2);
let compared = 0;
let same = 0;
for (const server of listServers()) {
  if (selected.length > 0 && !selected.includes(server.name)) continue;
  const result = await tryServer(server);
  if ('problem' in result) {
    console.log(`${server.name}: ${result.problem}`);
    continue;
  }
  compared += result.compared;
  same += result.same;
  console.log(
    `| \`${result.name}\` ${result.version} | ${result.files} | ${result.left} | ${result.same} of ${result.compared} |`,
  );
  if (process.env.VERBOSE) {
    if (result.start) console.log('   ', result.start);
    for (const each of result.differences.slice(0, 6))
      console.log(
        '   ',
        each.request,
        '\n      before',
        each.before?.slice(0, 300),
        '\n      after ',
        each.after?.slice(0, 300),
      );
    for (const each of result.findings) console.log(`    ${each.kind} ${each.file}:${each.line} ${each.what}`);
  }
}
console.log(`${same} of ${compared} compared results are the same`);
process.exitCode = same < compared * 0.9 ? 1 : 0;
