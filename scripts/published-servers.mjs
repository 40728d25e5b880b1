// @ts-check
/**
 * Tries the published servers of `docs/reference/peers.md` with the built command: installs each from npm, lists and
 * calls it directly and through a gateway, and examines it with the doctor. Needs the registry of npm. Prints the
 * differences to the page and all findings that are problems or warnings. Arguments select servers by name.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArguments } from './example-arguments.mjs';
import { readJson, root, runNpm } from './process.mjs';

const command = join(root, 'packages/cli/dist/tenon.mjs');
/** Longest time of one run of the command, in milliseconds. */
const TIMEOUT = 90_000;

/** @typedef {{ name: string, version: string, protocolVersion: string, tools: number, tool: string }} Row */

/** Reads the table of the page. @returns {Promise<Row[]>} */
async function readRows() {
  const page = await readFile(join(root, 'docs/reference/peers.md'), 'utf8');
  const rows = page.matchAll(/^\| `([^`]+)` (\S+) \| (\S+) \| (\d+) \| `([^`]+)` \|$/gm);
  return Array.from(rows, ([, name = '', version = '', protocolVersion = '', tools, tool = '']) => ({
    name,
    version,
    protocolVersion,
    tools: Number(tools),
    tool,
  }));
}

/** Runs the command, and parses the last line of its output. @param {string} cwd @param {readonly string[]} args */
function run(cwd, args) {
  const env = { ...process.env, TENON_HOME: join(cwd, 'home'), HOME: cwd };
  const { stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: TIMEOUT,
  });
  try {
    return { output: JSON.parse(stdout), stderr };
  } catch {
    return { output: undefined, stderr };
  }
}

/** Tries one server, and returns what differs from the page. @param {Row} row */
async function tryServer({ name, version, protocolVersion, tools, tool }) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-published-'));
  try {
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const quiet = [
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--legacy-peer-deps',
      '--prefer-offline',
      '--loglevel=error',
    ];
    await runNpm(['install', ...quiet, `${name}@${version}`], { cwd: folder, stdio: 'ignore' });
    const installed = join(folder, 'node_modules', name);
    const { bin, main } = readJson(join(installed, 'package.json'));
    const file = typeof bin === 'string' ? bin : (Object.values(bin ?? {})[0] ?? main);
    const server = [process.execPath, join(installed, file)];
    await writeFile(
      join(folder, 'mcp.json'),
      JSON.stringify({ mcpServers: { one: { command: server[0], args: [server[1]] } } }),
    );
    const gateway = [process.execPath, command, 'gateway', 'mcp.json', '--stdio', '--trust'];
    const differences = [];
    for (const [way, start, prefix] of /** @type {const} */ ([
      ['directly', server, ''],
      ['through the gateway', gateway, 'one__'],
    ])) {
      const { output: list, stderr } = run(folder, ['list', '--json', '--', ...start]);
      if (list?.tools === undefined) {
        differences.push(`${way}: not listed: ${stderr.trim().slice(-300)}`);
        continue;
      }
      if (way === 'directly' && list.protocolVersion !== protocolVersion)
        differences.push(`speaks ${list.protocolVersion}`);
      if (list.tools.length !== tools) differences.push(`${way}: ${list.tools.length} tools`);
      const found = list.tools.find((/** @type {{ name: string }} */ each) => each.name === prefix + tool);
      const args = JSON.stringify(createArguments(found?.inputSchema ?? {}));
      const call = run(folder, ['call', prefix + tool, '--args', args, '--json', '--', ...start]);
      // A server may refuse the arguments. All other errors are ours, or those of the connection.
      const error = call.output === undefined && !/"rpcCode":|"code":"tool\/failed"/.test(call.stderr);
      if (error) differences.push(`${way}: not called: ${call.stderr.trim().slice(-300)}`);
    }
    const { output: report } = run(folder, ['doctor', '--json', '--', ...server]);
    const findings = (report?.findings ?? []).filter((/** @type {{ severity: string }} */ { severity }) =>
      ['problem', 'warning'].includes(severity),
    );
    return { differences, findings };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const selected = process.argv.slice(2);
let failed = 0;
let found = 0;
const rows = (await readRows()).filter(({ name }) => selected.length === 0 || selected.includes(name));
for (const row of rows) {
  const { differences, findings } = await tryServer(row);
  failed += differences.length > 0 ? 1 : 0;
  found += findings.length;
  console.log(`${row.name} ${row.version}: ${differences.length === 0 ? 'as on the page' : differences.join('; ')}`);
  for (const { severity, id, title, seen } of findings) console.log(`  ${severity} ${id}: ${title} (${seen ?? ''})`);
}
console.log(
  `${rows.length - failed} of ${rows.length} servers as on the page; the doctor reported ${found} problems and warnings`,
);
process.exitCode = failed > 0 ? 1 : 0;
