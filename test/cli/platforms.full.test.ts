import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createServer, prompt, resource, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { summaries } from '../../packages/cli/src/summaries.js';
import { parseTarget } from '../../packages/cli/src/target/target-reference.js';
import { waitForExit } from '../interop/process.js';
import { isFull, takeCover, takePart } from '../support/extent.js';
import { buildCommand, projectWith, runTenon, serving, shopEntry, startTenon, tenon } from './command.js';

const library = fileURLToPath(new URL('../../packages/tenon/dist/esm', import.meta.url));

let project: Awaited<ReturnType<typeof projectWith>>;
let remote: HttpServer;
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({ shop: shopEntry() });
  const server = createServer({
    name: 'remote',
    version: '1.0.0',
    tools: { ping: tool({ run: () => 'pong' }) },
    prompts: {
      greet: prompt({
        input: { type: 'object', properties: { name: { type: 'string' } } },
        complete: { name: ['ada'] },
        run: () => 'hello',
      }),
    },
    resources: { 'note://1': resource({ read: () => 'a note' }) },
  });
  remote = await serveHttp(server, { port: 0 });
  await project.write('policy.json', { fallback: 'deny', rules: [{ tool: 'ping', action: 'allow' }] });
  await project.write('audit.jsonl', '');
  await project.write('file', '');
  await project.write('api.json', {
    openapi: '3.0.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: 'https://example.com' }],
    paths: { '/pets': { get: { operationId: 'listPets', responses: { 200: { description: 'pets' } } } } },
  });
});
afterAll(async () => {
  await remote.close();
  await project.remove();
});

/** Command lines that end by themselves, one for each command, and their exit codes. */
const lines: readonly (readonly [line: string, code: number])[] = [
  ['list URL', 0],
  ['call URL ping', 0],
  ['answer', 0],
  ['read URL note://1', 0],
  ['prompt URL greet', 0],
  ['complete URL greet name=a', 0],
  ['subscribe http://127.0.0.1:9/mcp --tools', 4],
  ['skills list URL', 1],
  ['tasks URL', 1],
  ['types URL', 0],
  ['logout URL', 0],
  ['generate cli URL', 0],
  ['init made --no-install', 0],
  ['dev none.ts', 2],
  ['import-openapi api.json', 0],
  ['migrate none', 2],
  ['record http://127.0.0.1:9/mcp -o calls.ndjson', 0],
  ['replay none.ndjson', 2],
  ['mock none.ndjson', 2],
  ['doctor URL', 0],
  ['conformance none.ts', 2],
  ['search notes', 4],
  ['add notes https://example.com/mcp --host cursor --project', 0],
  ['sync --from mcp.json --host cursor --project --yes', 0],
  ['remove notes --host cursor --project', 0],
  ['serve none.ts', 2],
  ['gateway none.json', 1],
  ['bridge ftp://example.com', 2],
  ['lock --trust --yes', 0],
  ['policy lint policy.json --no-lock', 0],
  ['approvals list --store none.sqlite', 1],
  // An empty log.
  ['audit verify audit.jsonl', 1],
  ['daemon status', 1],
  ['store reseal', 2],
  ['agent skill', 0],
  ['schema list', 0],
  ['completion bash', 0],
  ['console none.ts', 2],
];

describe('a command', () => {
  it.each(takePart(lines, 0, 6))(
    'ends without a terminal, and with a home that cannot be written: tenon %s [cli.platforms] [cli.tty]',
    async (line, code) => {
      const args = line.replace('URL', remote.url).split(' ');
      const home = project.path('file/home');
      const env = { TENON_HOME: home, HOME: home, TENON_REGISTRY_URL: 'http://127.0.0.1:9' };
      const ended = await tenon(project.folder, args, env);
      expect(ended.err).not.toMatch(/^ {4}at /m);
      expect([line, ended.code, ended.err]).toEqual([line, code, expect.any(String)]);
    },
  );

  it('appears in the table above [cli.platforms]', () => {
    expect(lines.map(([line]) => line.split(' ')[0]).sort()).toEqual(Object.keys(summaries).sort());
  });

  it.each(
    takeCover(
      [
        ['list', 'URL'],
        ['--help'],
        ['gateway', '--help'],
        ['call', 'URL', 'ping', '--json'],
        ['types', 'URL'],
        ['generate', 'cli', 'URL'],
        ['doctor', 'URL'],
        ['schema', 'list'],
        ['agent', 'skill'],
        ['completion', 'zsh'],
        ['import-openapi', 'api.json'],
        ['mock', 'none.ndjson'],
      ],
      ([name]) => name === 'list' || name === 'agent' || name === 'mock',
    ),
  )('ends silently when no program reads its output: tenon %s %s [cli.platforms] [cli.tty]', async (...words) => {
    const child = startTenon(
      project.folder,
      words.map(word => word.replace('URL', remote.url)),
    );
    child.stdout?.destroy();
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', text => (errors += text));
    const [code] = await once(child, 'close');
    expect([code, errors]).toEqual(words[0] === 'mock' ? [2, expect.stringMatching(/^tenon: /)] : [0, '']);
  });

  it.each(
    takeCover(
      [
        ['list'],
        ['call', 'price'],
        ['read', 'note://1'],
        ['prompt', 'greet'],
        ['complete', 'greet', 'name=a'],
        ['subscribe', '--tools'],
        ['skills', 'list'],
        ['tasks'],
        ['types'],
        ['generate', 'cli'],
        ['doctor'],
      ],
      ([name]) => name === 'list' || name === 'doctor',
    ),
  )('stops a server that does not respond on Ctrl-C: tenon %s [cli.platforms]', async (...words) => {
    const name = `started-${words.join('-').replace(/\W/g, '')}`;
    const script = `require('node:fs').appendFileSync('${name}', process.pid + '\\n'); setInterval(() => {}, 1000)`;
    const child = startTenon(project.folder, [...words, '--', process.execPath, '-e', script]);
    child.stdout?.resume();
    child.stderr?.resume();
    const pid = await readPid(project.path(name));
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    await waitForExit(pid);
    expect(readFileSync(project.path(name), 'utf8')).toBe(`${pid}\n`);
  });

  it.each(
    takeCover(
      [
        ['gateway', 'mcp.json', '--trust', '--port', '0'],
        ['bridge', '--port', '0', '--', process.execPath, 'SHOP'],
        ['record', '--port', '0', '-o', 'served.ndjson', '--', process.execPath, 'SHOP'],
        ['mock', 'listing.json', '--port', '0'],
      ],
      ([name]) => name === 'bridge',
    ),
  )('exits with 0 when a server is ended by Ctrl-C: tenon %s [cli.platforms]', async (...words) => {
    const [, shop = ''] = [shopEntry().command, ...shopEntry().args];
    const listed = await tenon(project.folder, ['list', remote.url, '--json']);
    await project.write('listing.json', listed.out);
    const [name = '', ...rest] = words.map(word => word.replace('SHOP', shop));
    const served = await serving(project.folder, [name, '--json', ...rest]);
    expect(await served.end()).toBe(0);
  });

  it('passes arguments unchanged to servers and to tools [cli.platforms]', async () => {
    const words = [
      'two words',
      `it's "quoted"`,
      '*',
      '',
      '$HOME',
      'back\\slash',
      'C:\\Program Files\\x',
      'ä\nb',
      '%PATH%',
      '^&|<>',
    ];
    await project.write(
      'echo server.mjs',
      `import { createServer, tool } from '${library}/index.node.js';
       import { serveStdio } from '${library}/stdio.js';
       const input = { type: 'object', properties: { text: { type: 'string' } } };
       const run = ({ text }) => JSON.stringify([text, ...process.argv.slice(2)]);
       await serveStdio(createServer({ name: 'echo', version: '1', tools: { echo: tool({ input, run }) } }));`,
    );
    for (const word of words) {
      const args = [
        'call',
        'echo',
        `text=${word}`,
        '--output',
        'raw',
        '--',
        process.execPath,
        'echo server.mjs',
        ...words,
      ];
      const { code, out, err } = await (isFull || word === words[1] ? tenon : runTenon)(project.folder, args);
      expect(code, err).toBe(0);
      expect(JSON.parse(out)).toEqual([word, ...words]);
    }
  });

  it('reads paths of Windows as paths [cli.platforms]', () => {
    for (const path of ['C:\\servers\\notes.ts', 'C:/servers/notes.js', '.\\notes.ts', '\\\\host\\share\\notes.py'])
      expect(() => parseTarget(path, project.folder), path).toThrow('file not found');
  });
});

const readPid = (file: string): Promise<number> =>
  vi.waitFor(() => {
    const text = readFileSync(file, 'utf8');
    expect(text).not.toBe('');
    return Number(text);
  });
