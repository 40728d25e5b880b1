import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { splitLine } from '../../packages/cli/src/completion/split-line.js';
import { exitCodes } from '../../packages/cli/src/exit-codes.js';
import { projectWith, runTenon } from './command.js';

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

  it('installs the skill into a folder', async () => {
    const { code, out } = await runTenon(project.folder, ['agent', 'skill', '--install', '.claude/skills', '--json']);
    const file = project.path('.claude/skills/tenon/SKILL.md');
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { file } });
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});
