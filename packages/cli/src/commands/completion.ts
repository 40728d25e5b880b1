import { type Shell, shells } from '@tenon/base/writers';
import { Argument, type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.js';
import { type CommandSource, listCandidates } from '../completion/list-candidates.js';
import { formatCandidates, getScript } from '../completion/shells.js';
import { splitLine } from '../completion/split-line.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { summaries } from '../summaries.js';

interface CompletionOptions {
  readonly line?: string;
  /** The word to complete, after the other words. */
  readonly word?: string;
  readonly json?: boolean;
}

export function createCompletionCommand(context: CliContext, source: CommandSource): Command {
  return createCommand('completion', summaries.completion)
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addArgument(new Argument('[words...]', 'words to complete, which the script passes after --'))
    .addOption(new Option('--line <text>', 'line to complete, which the script of Bash passes').hideHelp())
    .addOption(new Option('--word <text>', 'word to complete, which the script of PowerShell passes').hideHelp())
    .option('--json', 'print the script, or the completions, as JSON')
    .addHelpText(
      'after',
      `\nCompletes commands, options, servers of configurations, and the tools, prompts, resources and arguments of\nservers that were used before.\n${formatExamples(
        [
          ['eval "$(tenon completion bash)"', 'in ~/.bashrc'],
          ['eval "$(tenon completion zsh)"', 'in ~/.zshrc, after compinit'],
          ['tenon completion fish | source', 'in ~/.config/fish/config.fish'],
          ['tenon completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
        ],
      )}`,
    )
    .action(async (shell: Shell, words: string[], { line, word, json }: CompletionOptions) => {
      const { screen } = context;
      context.code = exitCodes.success;
      const given = line === undefined ? [...words, ...(word === undefined ? [] : [word])] : splitLine(line).slice(1);
      if (given.length === 0) {
        const script = getScript(shell);
        return json ? screen.printJson({ shell, script }) : screen.print(script);
      }
      const candidates = await listCandidates(context, source, given);
      if (json) return screen.printJson({ candidates });
      for (const text of formatCandidates(shell, candidates, given.at(-1) ?? '')) screen.print(text);
    });
}
