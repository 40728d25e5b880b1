import { escapeMarkdown, writeCommandLine, writeJson, writeStringLiteral } from '@tenon/base/writers';
import packageJson from '../../package.json' with { type: 'json' };
import { formatProgram, formatScript, type PackageManager } from './package-manager.js';

export const TRANSPORTS = ['http', 'stdio'] as const;

export type ProjectTransport = (typeof TRANSPORTS)[number];

export interface ProjectOptions {
  /** Name of the npm package. */
  readonly name: string;
  readonly transport: ProjectTransport;
  readonly packageManager: PackageManager;
  /** Adds tsx, for versions of Node that do not run TypeScript. */
  readonly withTsx: boolean;
}

/** Versions of the packages of other authors. A test compares them with those of this repository. */
export const VERSIONS = {
  zod: '4.6.7',
  typescript: '7.0.2',
  tsx: '4.23.15',
  '@types/node': '22.20.5',
} as const;

/** Files of a project, by their names. */
export function createProjectFiles(options: ProjectOptions): Readonly<Record<string, string>> {
  return {
    'package.json': formatJson(createPackageJson(options)),
    'tsconfig.json': formatJson(TSCONFIG),
    'server.ts': createServerFile(getServerName(options)),
    'server.test.ts': TEST,
    'README.md': createReadme(options),
    '.gitignore': 'node_modules/\n.env\n',
  };
}

/** Name of the server: that of the package without its scope. */
const getServerName = ({ name }: ProjectOptions): string => name.replace(/^@[^/]*\//, '');

function createPackageJson({ name, transport, withTsx }: ProjectOptions) {
  const versionRange = `^${packageJson.version}`;
  const { zod, tsx, ...tools } = VERSIONS;
  const others = Object.entries({ ...tools, ...(withTsx ? { tsx } : {}) });
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: {
      dev: 'tenon dev server.ts',
      start: transport === 'stdio' ? 'tenon serve --stdio server.ts' : 'tenon serve server.ts',
      test: withTsx ? 'node --import tsx --test server.test.ts' : 'node --test server.test.ts',
      types: 'tsc',
    },
    engines: { node: withTsx ? '>=20.19' : '>=22.18' },
    dependencies: { '@tenon/cli': versionRange, tenon: versionRange, zod: `^${zod}` },
    devDependencies: Object.fromEntries(
      [['@tenon/testing', versionRange], ...others.map(([each, version]) => [each, `^${version}`])].sort(
        ([a = ''], [b = '']) => (a < b ? -1 : 1),
      ),
    ),
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    types: ['node'],
    noEmit: true,
    skipLibCheck: true,
    // Node runs the files as they are.
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
  },
  include: ['**/*.ts'],
} as const;

const createServerFile = (name: string): string => `import { createServer, tool } from 'tenon';
import { z } from 'zod';

export default createServer({
  name: ${writeStringLiteral(name)},
  version: '0.1.0',
  tools: {
    add: tool({
      description: 'Add two numbers',
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      run: ({ a, b }) => ({ sum: a + b }),
    }),
  },
});
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectPair } from '@tenon/testing';
import server from './server.ts';

test('adds two numbers', async () => {
  const client = await connectPair<typeof server>(server);
  assert.deepEqual(await client.tools.add({ a: 2, b: 3 }), { sum: 5 });
  await client.close();
});
`;

function createReadme(options: ProjectOptions): string {
  const { name, packageManager, transport } = options;
  const formatOwnScript = (each: string) => formatScript(packageManager, each);
  const call = formatProgram(packageManager, 'tenon call http://127.0.0.1:3000/mcp add a=2 b=3');
  return `# ${escapeMarkdown(name)}

An MCP server, written with [Tenon](https://github.com/tenon-mcp/tenon). \`server.ts\` defines its tools.

| command | purpose |
|---|---|
| \`${formatOwnScript('dev')}\` | serves at \`http://127.0.0.1:3000/mcp\`, and reloads the server when a file changes |
| \`${formatOwnScript('test')}\` | runs the tests |
| \`${formatOwnScript('types')}\` | checks the types |
| \`${formatOwnScript('start')}\` | serves ${transport === 'stdio' ? 'on standard input and output' : 'at the same URL'}, without reloading |

Call a tool while the server runs:

\`\`\`sh
${call}
\`\`\`

## Connect it to a host

${transport === 'stdio' ? createStdioGuide(options) : createHttpGuide(options)}
`;
}

function createHttpGuide(options: ProjectOptions): string {
  const server = getServerName(options);
  const url = 'http://127.0.0.1:3000/mcp';
  return `Start the server, and add its URL to the host. Claude Code:

\`\`\`sh
${writeCommandLine(['claude', 'mcp', 'add', '--transport', 'http', server, url])}
\`\`\`

VS Code, in \`.vscode/mcp.json\`:

\`\`\`json
${writeJson({ servers: { [server]: { type: 'http', url } } }, 2)}
\`\`\`

Cursor, in \`.cursor/mcp.json\`:

\`\`\`json
${writeJson({ mcpServers: { [server]: { url } } }, 2)}
\`\`\``;
}

function createStdioGuide(options: ProjectOptions): string {
  const server = getServerName(options);
  const folder = `/absolute/path/to/${server}`;
  const entry = getStdioEntry(folder);
  return `The host starts the server. Replace \`${folder}\` by the path of this folder. Claude Code:

\`\`\`sh
${writeCommandLine(['claude', 'mcp', 'add', server, '--', entry.command, ...entry.args])}
\`\`\`

Claude Desktop, in \`claude_desktop_config.json\`, and Cursor, in \`.cursor/mcp.json\`:

\`\`\`json
${writeJson({ mcpServers: { [server]: entry } }, 2)}
\`\`\`

VS Code, in \`.vscode/mcp.json\`:

\`\`\`json
${writeJson({ servers: { [server]: { type: 'stdio', ...entry } } }, 2)}
\`\`\`

With \`dev\` in place of \`serve\`, the server reloads when a file changes, and the host stays connected.`;
}

/** Returns the command line by which a host starts the server from any working directory. */
function getStdioEntry(folder: string): { readonly command: string; readonly args: readonly string[] } {
  const program = `${folder}/node_modules/@tenon/cli/dist/tenon.mjs`;
  return { command: 'node', args: [program, 'serve', '--stdio', `${folder}/server.ts`] };
}

const formatJson = (value: unknown): string => `${writeJson(value, 2)}\n`;
