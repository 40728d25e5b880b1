import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const STDIO = fileURLToPath(new URL('../../../stdio.ts', import.meta.url));

/** Runs a program that imports `tenon/stdio` and serves nothing. Says what came on stdout, and when. */
function run(program: string, stdin: 'pipe' | 'ignore' = 'pipe') {
  const script = `import ${JSON.stringify(STDIO)};\n${program}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: [stdin, 'pipe', 'inherit'],
  });
  const seen: string[] = [];
  child.stdout!.on('data', chunk => void seen.push(String(chunk)));
  return new Promise<string[]>(resolve => child.once('close', () => resolve(seen)));
}

describe('a program that imports tenon/stdio without serving', () => {
  it('writes its stdout before it exits', async () => {
    expect((await run('console.log("a"); console.log("b"); process.exit(0);')).join('')).toBe('a\nb\n');
  });

  it('writes its stdout within about a second, in order', async () => {
    const program = `
      const start = performance.now();
      process.stdout.write('first ', () => console.log('after', performance.now() - start < 5000));
      await new Promise(resolve => setTimeout(resolve, 1500));
      console.log('last');`;
    expect((await run(program)).join('')).toBe('first after true\nlast\n');
  });

  it('writes a large output at once', async () => {
    const seen = await run('process.stdout.write("x".repeat(100_000)); process.stdout.write("end")');
    expect(seen.join('')).toBe(`${'x'.repeat(100_000)}end`);
  });

  it('writes without delay where no client can be', async () => {
    const program =
      'const t = performance.now(); process.stdout.write("now", () => console.log(performance.now() - t < 500))';
    expect((await run(program, 'ignore')).join('')).toBe('nowtrue\n');
  });
});
