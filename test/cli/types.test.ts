import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../support/extent.js';
import { edit } from '../types/editor.js';
import { buildCommand, EVERYTHING, projectWith, runTenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

describe('tenon types', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    kitchen = await serveKitchen();
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close()]));
  const types = (...args: string[]) => runTenon(project.folder, ['types', ...args]);

  it('writes types with which a client compiles [cli.types]', async () => {
    const { code, out, err } = await runTenon(project.folder, ['types', kitchen.url]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const program = edit(`${out}
      import { connect } from 'tenon';
      const client = await connect<KitchenTypes>('http://localhost/mcp');
      const { total } = await client.tools.sum({ a: 1, b: 2 });
      export const double: number = total * 2;
      export const { content } = await client.tools.echo({ message: 'hi', tags: ['a'] });
      await client.tools.picture();
      await client.prompts.summarize({ title: 'Glue' });
      // @ts-expect-error: \`b\` is missing
      await client.tools.sum({ a: 1 });
      // @ts-expect-error: no such tool
      await client.tools.none();
    `);
    expect(program.errors).toEqual([]);
  });

  it.runIf(isFull)('writes a module that connects, and runs [cli.types]', async () => {
    const { code, out, err } = await types(kitchen.url, '--out', 'kitchen.ts', '--name', 'cook');
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: 'wrote kitchen.ts\n' });
    // Inside the repository, the module finds the package.
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(join(cache, 'types-'));
    try {
      const path = join(folder, 'kitchen.ts');
      await writeFile(path, await readFile(join(project.folder, 'kitchen.ts')));
      const { connectCook } = await import(path);
      const client = await connectCook();
      expect(await client.tools.sum({ a: 1, b: 2 })).toEqual({ total: 3 });
      await client.close();
    } finally {
      await rm(folder, { recursive: true, maxRetries: 10 });
    }
  });

  it('checks a file in CI [cli.types]', async () => {
    expect((await types(kitchen.url, '--out', 'checked.d.ts')).code).toBe(0);
    const same = await runTenon(project.folder, ['types', kitchen.url, '--out', 'checked.d.ts', '--check']);
    expect(same).toMatchObject({ code: 0, out: '' });
    const lines = await readFile(join(project.folder, 'checked.d.ts'), 'utf8');
    await project.write('windows.d.ts', `\uFEFF${lines.replaceAll('\n', '\r\n')}`);
    expect(await types(kitchen.url, '--out', 'windows.d.ts', '--check')).toMatchObject({ code: 0 });
    // The order of the output is stable.
    const again = await runTenon(project.folder, ['types', kitchen.url]);
    expect(again.out.trimEnd()).toBe((await readFile(join(project.folder, 'checked.d.ts'), 'utf8')).trimEnd());
    const text = await readFile(join(project.folder, 'checked.d.ts'), 'utf8');
    await project.write('checked.d.ts', text.replace('a: number', 'a: string'));
    const { code, out, err } = await types(kitchen.url, '--out', 'checked.d.ts', '--check', '--json');
    expect({ code, err }).toEqual({ code: 7, err: '' });
    expect(JSON.parse(out)).toEqual({
      ...{ file: 'checked.d.ts', matches: false },
      difference: expect.stringContaining('-  readonly a: string;\n+  readonly a: number;'),
    });
    const shown = await runTenon(project.folder, ['types', kitchen.url, '--out', 'checked.d.ts', '--check']);
    expect(shown).toMatchObject({ code: 7, err: expect.stringContaining('run `tenon types` again') });
    expect(shown.out).toMatch(/^--- checked\.d\.ts\n[\s\S]*\n-.*a: string.*\n\+.*a: number/);
    expect(await types(kitchen.url, '--out', 'none.d.ts', '--check')).toMatchObject({ code: 2 });
  });

  it.runIf(isFull)('writes types of an official server, and refuses what it cannot write', async () => {
    const { code, out } = await types('--json', '--', ...EVERYTHING);
    expect(code).toBe(0);
    const { text } = JSON.parse(out);
    expect(text).toContain('readonly "echo": { readonly types?: { readonly input: EchoInput;');
    expect(edit(text).errors).toEqual([]);
    expect(await types('--out', 'everything.ts', '--', ...EVERYTHING)).toMatchObject({ code: 2 });
    expect(await types(`${kitchen.url}?key=secret`, '--out', 'secret.ts')).toMatchObject({ code: 2 });
    expect(await types(kitchen.url, '--out', 'kitchen.json')).toMatchObject({ code: 2 });
    expect(await types(kitchen.url, '--check')).toMatchObject({ code: 2 });
  });
});
