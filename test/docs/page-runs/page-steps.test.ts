import { describe, expect, it } from 'vitest';
import { pages } from '../pages.js';
import { matchesOutput } from './page-run.js';
import { beginsWithInstall, readSteps } from './page-steps.js';

const fence = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\`\n`;

describe('readSteps', () => {
  it('runs a command after the file that it needs is saved', () => {
    const text = `Save this as \`try.ts\`, and run \`npx tsx try.ts\`:\n\n${fence('ts file=try.ts', 'x();')}\n${fence('text', 'x')}`;
    expect(readSteps(text)).toEqual([
      { kind: 'write', file: 'try.ts', text: 'x();\n' },
      { kind: 'run', line: 'npx tsx try.ts', isFirst: true, output: 'x\n' },
    ]);
  });

  it('compares the output behind a file with that of the command that runs it', () => {
    const text = `${fence('ts file=app.ts', 'x();')}\n${fence('text', 'x')}\nStart it with \`npx tsx app.ts\`, and call it.\n`;
    expect(readSteps(text).at(-1)).toEqual({ kind: 'run', line: 'npx tsx app.ts', isFirst: true, output: 'x\n' });
  });

  it('compares the output of a block after its last line', () => {
    const text = `${fence('sh', "tenon a # a comment\ncurl x -d '{\n}'")}\n${fence('text', 'x')}`;
    expect(readSteps(text)).toEqual([
      { kind: 'run', line: 'tenon a', isFirst: true, output: undefined },
      { kind: 'run', line: "curl x -d '{\n}'", isFirst: false, output: 'x\n' },
    ]);
  });

  it('omits a block with a reason', () => {
    const text = `<!-- not run: needs a network -->\n\n${fence('sh', 'tenon search x')}`;
    expect(readSteps(text)).toEqual([{ kind: 'not-run', line: 'tenon search x', reason: 'needs a network' }]);
  });

  it('stops the servers when the page says so', () => {
    expect(readSteps('Stop `tenon dev` with Ctrl-C, because it uses the same port.\n')).toEqual([{ kind: 'stop' }]);
  });

  it('omits code of other libraries, and commands in tables', () => {
    expect(readSteps(`${fence('ts file=sdk-tool.ts', 'x();')}\n| a | run \`npx tsx a.ts\` |\n`)).toEqual([]);
  });
});

describe('beginsWithInstall', () => {
  it.each([
    'npm install tenon zod',
    'npm i -D @tenon/cli',
    'npm create tenon notes',
    'bun add tenon',
    'deno add npm:tenon',
  ])('returns true for %s', line => {
    expect(beginsWithInstall(`Text.\n\n${fence('sh', `npm init -y\n${line}`)}`)).toBe(true);
  });

  it.each(['npm install express', 'npx @tenon/cli list', 'npm install && npm test'])('returns false for %s', line => {
    expect(beginsWithInstall(fence('sh', line))).toBe(false);
  });

  it('requires all steps from an empty folder', () => {
    const incomplete = pages()
      .filter(({ text }) => beginsWithInstall(text) && /npx tsx /.test(text))
      .filter(({ text }) => !/^npm init -y|^npm create tenon/m.test(text));
    expect(incomplete.map(({ path }) => path)).toEqual([]);
  });

  it('returns true for each recipe that runs a file', () => {
    const recipes = pages().filter(({ path, text }) => path.startsWith('docs/recipes/') && text.includes('`npx tsx '));
    expect(recipes.filter(({ text }) => !beginsWithInstall(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('an output', () => {
  it('matches a page whose times differ, and where … stands for any text', () => {
    expect(matchesOutput('a\nb\nloaded in 12 ms\n', 'a\n…\nloaded in 329 ms')).toBe(true);
    expect(matchesOutput('{"a":{"b":1},"c":2}', '{"a":{…},"c":2}')).toBe(true);
    expect(matchesOutput('npm warn x\na', 'a')).toBe(true);
    expect(matchesOutput('a\nb', 'a')).toBe(false);
    expect(matchesOutput('a', 'a\nb')).toBe(false);
  });
});
