import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { TenonError } from 'tenon';
import { SKILL_TEXT } from '../agent/skill-text.js';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { writeProjectFile } from '../project-file.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

export function createAgentCommand(context: CliContext): Command {
  return createCommand('agent', summaries.agent).addCommand(createSkillCommand(context));
}

function createSkillCommand(context: CliContext): Command {
  return createCommand('skill', 'print instructions for agents, as a SKILL.md')
    .option(
      '--install <folder>',
      'write FOLDER/tenon/SKILL.md instead, where FOLDER is the folder of skills of an agent',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon agent skill --install ~/.claude/skills', 'Claude Code, in every project'],
        ['tenon agent skill --install .claude/skills', 'Claude Code, in this project'],
        ['tenon agent skill --install .agents/skills', 'Codex, Copilot, Cursor and others, in this project'],
        ['tenon agent skill', 'print it'],
      ]),
    )
    .action(async ({ install, json }: { readonly install?: string; readonly json?: boolean }) => {
      context.code = exitCodes.success;
      if (install === undefined) {
        if (json) context.screen.printJson({ text: SKILL_TEXT });
        else context.screen.print(SKILL_TEXT.trimEnd());
        return;
      }
      const folder = resolve(context.cwd, install, 'tenon');
      const file = join(folder, 'SKILL.md');
      try {
        await writeProjectFile(context.cwd, file, SKILL_TEXT);
      } catch (error) {
        if (TenonError.is(error)) throw error;
        const { code: reason } = error as NodeJS.ErrnoException;
        throw createUsageError(`--install: cannot write ${file}: ${reason}`, 'pass a folder that you can write');
      }
      if (json) context.screen.printJson({ file });
      else context.screen.note(`wrote ${file}`);
    });
}
