/** Shells with completions: the script that a shell loads, and the form in which it gets candidates. */
import { escapeForBash, escapeForLog, quoteForPowerShell, type Shell } from '@tenon/base/writers';
import type { Candidate } from './list-candidates.js';

/**
 * Scripts that register the completion of `tenon`. Each calls `tenon completion SHELL -- WORDS` at a press of Tab.
 * PowerShell before 7.3 drops empty arguments, so it passes the last word as a part of an option.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `_tenon() {
  local line candidates=()
  while IFS= read -r line; do candidates+=("$line"); done < <(tenon completion bash --line "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  COMPREPLY=("\${candidates[@]}")
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _tenon tenon`,
  zsh: `#compdef tenon
# A plain zsh has no completion before this.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -C }
_tenon() {
  local line value
  local -a open_values open_texts values texts
  for line in "\${(@f)$(tenon completion zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    value=\${line%%$'\\t'*}
    if [[ $value == *= ]]; then open_values+=("$value") open_texts+=("\${line/$'\\t'/  -- }")
    else values+=("$value") texts+=("\${line/$'\\t'/  -- }")
    fi
  done
  if (( \${#values} + \${#open_values} == 0 )); then _files; return; fi
  if (( \${#values} )); then compadd -l -d texts -a values; fi
  if (( \${#open_values} )); then compadd -l -S '' -d open_texts -a open_values; fi
}
compdef _tenon tenon`,
  fish: `function __tenon_complete
  set -l found (tenon completion fish -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tenon -f -a '(__tenon_complete)'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName tenon -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  tenon completion powershell "--word=$wordToComplete" -- @words 2>$null | ForEach-Object {
    $value, $text = $_ -split "\`t", 2
    if (-not $text) { $text = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
  }
}`,
};

/** Returns the script that a shell loads. */
export const getScript = (shell: Shell): string => scripts[shell];

/**
 * Formats candidates for a shell, one in a line.
 *
 * @param current The word that is completed.
 */
export function formatCandidates(shell: Shell, all: readonly Candidate[], current: string): string[] {
  // A line is one candidate, and nobody can type a name with invisible characters.
  const candidates = all.filter(({ value }) => escapeForLog(value) === value);
  switch (shell) {
    case 'bash': {
      // Bash completes what follows the last of these characters.
      const start = Math.max(current.lastIndexOf('='), current.lastIndexOf(':')) + 1;
      return candidates.map(({ value }) => escapeForBash(value.slice(start)));
    }
    case 'powershell':
      return candidates.map(({ value, description }) => joinColumns(quoteForPowerShell(value), description));
    default:
      return candidates.map(({ value, description }) => joinColumns(value, description));
  }
}

const joinColumns = (value: string, description = ''): string =>
  description === '' ? value : `${value}\t${escapeForLog(description)}`;
