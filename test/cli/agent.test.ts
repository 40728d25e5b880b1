import { readdir, readFile } from 'node:fs/promises';
import { createServer, prompt, resource, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { splitLine } from '../../packages/cli/src/completion/split-line.js';
import { exitCodes } from '../../packages/cli/src/exit-codes.js';
import { buildCommand, projectWith, runTenon } from './command.js';

/** The lines of a skill that begin with the command: in blocks, and in the text. */
function listCommandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  const inline = [...text.matchAll(/`(tenon [^`\n]+)`/g)].map(([, line = '']) => line);
  return [...blocks, ...inline].filter(line => line.startsWith('tenon '));
}

describe('tenon agent skill', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let text = '';
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    text = (await runTenon(project.folder, ['agent', 'skill'])).out;
  });
  afterAll(() => project.remove());

  it('prints a short skill in the Agent Skills format [cli.agent]', () => {
    const [, header = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
    const { name, description } = parse(header);
    expect(name).toBe('tenon');
    expect(description.length).toBeLessThan(1024);
    expect(text.split('\n').length).toBeLessThanOrEqual(150);
  });

  it('names only commands and options that the command has [cli.agent]', async () => {
    const lines = listCommandLines(text);
    expect(lines.length).toBeGreaterThan(15);
    const helps = new Map<string, Promise<string>>();
    const readHelp = (...path: string[]) => {
      const key = path.join(' ');
      const help = helps.get(key) ?? runTenon(project.folder, [...path, '--help']).then(({ out }) => out);
      helps.set(key, help);
      return help;
    };
    for (const line of lines.filter(each => !each.includes('COMMAND'))) {
      const [, ...words] = splitLine(line.replace(/ -- .*$/, ''));
      const [first = '', second = ''] = words.filter(word => /^[a-z][a-z-]*$/.test(word));
      const isGroup = (await readHelp(first)).includes('\nCommands:\n');
      const path = isGroup ? [first, second] : [first];
      const help = await readHelp(...path);
      expect(help, line).toContain(`Usage: tenon ${path.join(' ')} `);
      for (const option of words.filter(word => /^--?[a-z]/.test(word)))
        expect(help, line).toMatch(new RegExp(`^ +(?:-\\w, )?${option}[, ]`, 'm'));
    }
    const help = await readHelp('call');
    for (const [, option = ''] of text.matchAll(/`(--[a-z-]+)/g)) expect(help, option).toContain(option);
    for (const code of Object.values(exitCodes)) expect(text).toMatch(new RegExp(`^  ${code} +\\S`, 'm'));
  });

  /** Exit codes of the lines that do not succeed, because the server has no such call, task or extension. */
  const codes: Readonly<Record<string, number>> = {
    'answer 7f3a count:=3': 2,
    'answer 7f3a --decline': 2,
    'skills list notes': 1,
    'tasks notes list': 1,
    'tasks notes result 7f3a': 1,
    'conformance server.ts': 2,
  };

  it('contains commands that work as written, without a terminal [cli.agent]', async () => {
    const input = z.object({ title: z.string(), tags: z.array(z.string()).optional(), text: z.string().optional() });
    const server = createServer({
      ...{ name: 'notes', version: '1.0.0' },
      tools: {
        add: tool({ input, run: ({ title, text = '' }) => `${title}: ${text}` }),
        export: tool({ run: () => [{ type: 'image' as const, mimeType: 'image/png', data: 'AAAA' }] }),
      },
      prompts: { summarize: prompt({ input: z.object({ title: z.string() }), run: ({ title }) => title }) },
      resources: { 'note://Glue': resource({ read: () => 'Use hide glue.' }) },
    });
    const { url, close } = await serveHttp(server, { port: 0 });
    await project.write('glue.md', 'hot');
    const lines = listCommandLines(text).filter(line => line.endsWith(' --json --no-input'));
    expect(lines.length).toBeGreaterThan(12);
    const outputs = new Map<string, string>();
    const run = async (line: string) => {
      const args = splitLine(line.replace(/ notes\b| https:\/\/example\.com\/mcp/, ` ${url}`)).slice(1);
      const { code, out, err } = await runTenon(project.folder, args);
      const name = line.slice('tenon '.length, -' --json --no-input'.length);
      expect([name, code], err).toEqual([name, codes[name] ?? 0]);
      const report = code === 0 ? JSON.parse(out) : JSON.parse(err.trim().split('\n').at(-1) ?? '');
      if (code !== 0) expect(report).toMatchObject({ code: expect.any(String), fix: expect.any(String), exit: code });
      outputs.set(name, out);
    };
    await Promise.all(lines.map(run));
    await close();
    expect(Object.keys(codes).filter(name => !outputs.has(name))).toEqual([]);
    const call = `call notes add title="Wood glue" tags:='["wood"]' text=@glue.md`;
    expect(outputs.get(call)).toContain('Wood glue: hot');
    expect(await readdir(project.path('out'))).toHaveLength(1);
    expect(await readFile(project.path('wire.ndjson'), 'utf8')).toContain('"dir":"send"');
    const { findings } = JSON.parse(outputs.get('doctor https://example.com/mcp') ?? '');
    expect(findings[0]).toMatchObject({ severity: expect.any(String), title: expect.any(String) });
  }, 60_000);

  it('names each form of a target [cli.agent] [cli.target]', () => {
    for (const form of ['https://', './mcp.json', 'io.github.', '.ts#', '.py', '.mcpb', '.ndjson', ' -- '])
      expect(
        text.split('\n').filter(line => line.startsWith('|') && line.includes(form)),
        form,
      ).toHaveLength(1);
  });

  it('installs the skill into a folder [cli.agent]', async () => {
    const { code, out } = await runTenon(project.folder, ['agent', 'skill', '--install', '.claude/skills', '--json']);
    const file = project.path('.claude/skills/tenon/SKILL.md');
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { file } });
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
