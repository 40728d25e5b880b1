import { redactSecrets } from '@tenon/host';
import { createTwoFilesPatch } from 'diff';
import type { PlannedAction, PlannedChange } from './plan-change.js';

const WORDS = { add: 'added', change: 'changed', remove: 'removed', keep: 'unchanged' } as const;
const DRY_WORDS = { add: 'would add', change: 'would change', remove: 'would remove', keep: 'unchanged' } as const;
/** Number of unchanged lines around a change. */
const CONTEXT = 3;
/** Variables in all forms of the hosts, with the scheme of a header. They name secrets and contain none. */
const REFERENCE =
  /(?:Bearer )?(?:\$\{\{ secrets\.\w+ \}\}|\$\{(?:env:|input:)?\w+\}|\{env:\w+\}|\$\(echo \$\w+\)|<\w+>)/g;

/** Formats the change of a file as a unified diff. Secrets of the file are hidden. */
export function formatDiff({ file, before, after }: PlannedChange): string {
  if (before === after) return '';
  const from = before === undefined ? '/dev/null' : file;
  const patch = createTwoFilesPatch(from, file, before ?? '', after, undefined, undefined, { context: CONTEXT });
  const lines = patch.replaceAll('\r', '').trimEnd().split('\n');
  return lines
    .slice(lines.findIndex(line => line.startsWith('--- ')))
    .map(hideSecrets)
    .join('\n');
}

/** Hides the secrets of a line. Its variables stay. */
function hideSecrets(line: string): string {
  const references = line.match(REFERENCE) ?? [];
  return line
    .split(REFERENCE)
    .map((part, index) => redactSecrets(part) + (references[index] ?? ''))
    .join('');
}

/** Formats the actions of a change, one a line: `Cursor: added notes to /home/ann/.cursor/mcp.json`. */
export function formatActions({ host, file, actions }: PlannedChange, isDryRun: boolean, backup?: string): string[] {
  const words = isDryRun ? DRY_WORDS : WORDS;
  if (actions.length === 0) return [`${host.title}: nothing to change in ${file}`];
  const after = backup === undefined ? '' : ` (back-up: ${backup})`;
  return actions.flatMap(({ name, action, unsupported }) => [
    `${host.title}: ${words[action]} ${name} ${formatPreposition(action)} ${file}${action === 'keep' ? '' : after}`,
    ...unsupported.map(
      variable => `${host.title}: replaces no variables. Write the value of ${variable} instead of <${variable}>`,
    ),
  ]);
}

function formatPreposition(action: PlannedAction['action']): string {
  if (action === 'add') return 'to';
  return action === 'remove' ? 'from' : 'in';
}
