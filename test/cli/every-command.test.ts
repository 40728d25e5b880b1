import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, tenon } from './command.js';
import { schemaNames } from './json-schemas.js';

const URL = 'http://127.0.0.1:9/mcp';

/** One line for each command that fails, and its exit code. */
const lines: readonly (readonly [line: string, code: number])[] = [
  [`list ${URL}`, 4],
  [`call ${URL} x`, 4],
  ['answer none', 2],
  [`read ${URL} x://y`, 4],
  [`prompt ${URL} x`, 4],
  [`complete ${URL} x y=z`, 4],
  [`subscribe ${URL} --tools`, 4],
  [`skills list ${URL}`, 4],
  [`skills read ${URL}`, 4],
  [`tasks ${URL}`, 4],
  ['logout none', 2],
  [`types ${URL}`, 4],
  [`generate cli ${URL}`, 4],
  ['init made --package-manager none', 2],
  ['dev none.ts', 2],
  ['console none.ts', 2],
  ['import-openapi none.json', 2],
  ['migrate none', 2],
  ['record none.ts -o x.ndjson --port 0', 2],
  ['replay none.ndjson', 2],
  ['mock none.ndjson', 2],
  ['doctor none.ts', 2],
  ['conformance none.ts', 2],
  ['search notes', 4],
  ['add notes none.ts --host cursor', 2],
  ['remove none --host cursor --project', 1],
  ['sync --from none.json --host cursor --project', 2],
  ['serve none.ts', 2],
  ['gateway none.json', 1],
  ['gateway status', 1],
  ['gateway enable none', 1],
  ['gateway disable none', 1],
  ['gateway restart none', 1],
  ['gateway reconnect none', 1],
  ['bridge ftp://example.com', 2],
  ['lock none.json', 1],
  ['policy explain none.json a/b', 1],
  ['policy lint none.json', 1],
  ['policy try none.json none.json none.ndjson', 1],
  ['policy schema more', 2],
  ['approvals list --store none.sqlite', 1],
  ['approvals allow 7f3a --store none.sqlite', 1],
  ['approvals deny 7f3a --store none.sqlite', 1],
  ['approvals revoke --store none.sqlite', 2],
  ['audit show none.jsonl', 1],
  ['audit export none.jsonl --output none.csv', 1],
  ['audit verify none.jsonl', 1],
  ['store reseal --from tenon', 2],
  ['daemon start --max x', 2],
  ['daemon stop more', 2],
  ['daemon status more', 2],
  ['agent skill --install file', 2],
  ['schema none', 2],
  ['completion none', 2],
];

/** Commands without `--json`, and the reason. */
const withoutJson: Readonly<Record<string, string>> = {
  'daemon run': 'the process of the daemon, which `tenon daemon start` starts. Users do not',
};

describe('every command', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    await buildCommand();
    // Commands that look for a server in it report the invalid entry before they fail.
    project = await projectWith({ invalid: {} });
    await project.write('file', '');
  });
  afterAll(() => project.remove());
  const readHelp = async (...path: string[]) => (await runTenon(project.folder, [...path, '--help'])).out;

  /** Names of the commands in a help text. */
  const listCommands = (help: string) =>
    [
      ...(help.split(/\n(?:Examples|Exit codes):/)[0] ?? '').matchAll(/^ {2}([a-z][a-z-]*)(?: [[<].*?)? {2,}/gm),
    ].flatMap(([, name = '']) => (name === 'help' ? [] : [name]));

  const names = schemaNames().filter(name => !['error', 'note'].includes(name));

  it('has a schema [cli.json]', async () => {
    expect(names).toEqual(listCommands(await readHelp('help', '--all')).toSorted());
  });

  it.each(names)(
    'has the options --json and --no-input, and a line in the table above: tenon %s [cli.json] [cli.tty]',
    async name => {
      const [usage = '', parts = ''] = (await readHelp(name)).split('\nCommands:\n');
      const inner = parts === '' ? [] : listCommands(parts).map(part => `${name} ${part}`);
      // A command with commands may also do something itself, such as `tenon gateway`.
      const paths = inner.length > 0 && /^Usage: .*\[command\]$/m.test(usage) ? inner : [...inner, name];
      for (const path of paths) {
        const help = await readHelp(...path.split(' '));
        const options = [/^ +--json /m, /^ +--no-input /m].map(option => option.test(help));
        expect([path, ...options]).toEqual([path, !(path in withoutJson), true]);
      }
      const own = [...lines.map(([line]) => line), ...Object.keys(withoutJson)].filter(
        line => line.split(' ')[0] === name,
      );
      expect(own.map(line => paths.find(path => `${line} `.startsWith(`${path} `))).sort()).toEqual(paths.sort());
    },
  );

  it.each(lines.map(([line, code], index) => [line, code, index % 10 === 0 ? tenon : runTenon] as const))(
    'ends a failure with one line of JSON: tenon %s --json --no-input [cli.json] [cli.exit]',
    async (line, exit, start) => {
      const env = { TENON_REGISTRY_URL: 'http://127.0.0.1:9', HOME: project.folder };
      const args = [...line.split(' '), '--json', '--no-input'];
      const { code, out, err } = await start(project.folder, args, env);
      expect({ code, out }, err).toEqual({ code: exit, out: '' });
      const reports = err
        .trimEnd()
        .split('\n')
        .map(each => JSON.parse(each));
      expect(reports.pop()).toEqual({
        code: expect.stringMatching(/^[a-z]+\/[a-z-]+$/),
        cause: expect.stringMatching(/./),
        fix: expect.stringMatching(/./),
        exit,
      });
      // The lines before it are notes.
      for (const note of reports) expect(note).toEqual({ level: expect.any(String), message: expect.any(String) });
    },
  );

  it('writes notes as JSON too, so that standard error has no other lines [cli.json]', async () => {
    const { code, err } = await runTenon(project.folder, ['list', 'invalid', '--json', '--no-input']);
    const [note = '', error = '', ...more] = err.split('\n');
    expect(JSON.parse(note)).toEqual({ level: 'error', message: expect.stringContaining('mcpServers.invalid') });
    expect([code, JSON.parse(error), more]).toMatchObject([1, { code: 'cli/unusable-server' }, ['']]);
    const plain = await runTenon(project.folder, ['list', 'invalid']);
    expect(plain.err).toMatch(/^error: .*\ntenon: /);
  });

  it.each([
    [
      'login',
      "tenon: unknown command 'login'. Run `tenon list TARGET` in a terminal: commands sign in when a server requires it.",
    ],
    ['lst', "tenon: unknown command 'lst'. Did you mean list? See `tenon --help`."],
    ['list --nope', "tenon: unknown option '--nope'. See `tenon list --help`."],
    [
      'lock --config mcp.json',
      "tenon: unknown option '--config'. Pass the configuration files without it: `tenon lock FILE…`.",
    ],
    [
      'gateway --config=mcp.json',
      "tenon: unknown option '--config=mcp.json'. Pass the configuration files without it: `tenon gateway FILE…`.",
    ],
    ['audit vrfy', "tenon: unknown command 'vrfy'. Did you mean verify? See `tenon audit --help`."],
  ])('reports unknown arguments like other errors: tenon %s', async (line, err) => {
    expect(await tenon(project.folder, line.split(' '))).toEqual({ code: 2, out: '', err: `${err}\n` });
  });
});
