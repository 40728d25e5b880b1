import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  // Outside of the project: what is not in the bundle is not found.
  folder = await mkdtemp(join(tmpdir(), 'tenon-host-bundle-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

it('runs as one file, bundled as an ES module with the defaults for Node', async () => {
  const outfile = join(folder, 'host.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../../packages/host/dist/esm/index.node.js', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const program = `
    import { createPolicy, parseLockFile, parsePolicy, readConfigFile } from ${JSON.stringify(pathToFileURL(outfile).href)};
    import { writeFileSync } from 'node:fs';
    writeFileSync('mcp.json', '{ "mcpServers": { "a": { "command": "x" }, /* so */ "b": 1, } }');
    const { entries, findings } = await readConfigFile('mcp.json');
    const { rules } = parsePolicy('{ "rules": [ { "deny": "a/b" }, ] } // so');
    const lock = await parseLockFile('{ "lockfileVersion": 1, "servers": {}, "servers": {} }').catch(error => error.message);
    console.log(JSON.stringify([entries.map(({ name }) => name), findings.length, createPolicy(rules).rules.length, lock]));
  `;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([['a'], 1, 1, expect.stringContaining('column 40: "servers" is a duplicate key')]);
});
