import { writeCommandLine } from '@tenon/base/writers';
import { type ConfiguredEntry, findDangers } from '@tenon/host';
import type { CliContext } from '../cli-context.js';
import { listReferences } from './fill-references.js';

/** Receives the texts of a review. */
interface ReviewReader {
  readonly screen: Pick<CliContext['screen'], 'note'>;
}

type ReviewedEntry = Pick<ConfiguredEntry, 'target' | 'written'>;

const MAX_TEXT = 10_000;

/** Shows the command or URL of a server, its variables, and the parts to look at, before the user approves it. */
export function reviewTarget(context: ReviewReader, { target, written }: ReviewedEntry): void {
  const note = (text: string) => context.screen.note(shorten(text));
  if ('url' in target) note(`It is at ${target.url}`);
  // Each argument is quoted, so that two arguments cannot look like one.
  else note(`It runs ${writeCommandLine([target.command, ...(target.args ?? [])])}`);
  const [kind, members] = 'url' in target ? ['headers', target.headers] : ['variables', target.env];
  const named = Object.entries(members ?? {}).map(([name, value]) => formatMember(name, String(value)));
  if (named.length > 0) note(`It gets these ${kind}: ${named.join(', ')}`);
  const references = listReferences(target);
  if (references.length > 0) note(`Set before it starts: ${references.join(', ')}`);
  reportDangers(context, { target, ...(written ? { written } : {}) });
}

/**
 * Shows the parts of a server that the user should look at: a shell script, a variable that loads code, a container with
 * rights of the machine.
 *
 * @param name Name of the server. Default: none, if only one server is shown.
 */
export function reportDangers({ screen }: ReviewReader, entry: ReviewedEntry, name?: string): void {
  for (const danger of findDangers(entry))
    screen.note(`! ${name === undefined ? '' : `${name}: `}${danger}`, 'warning');
}

const shorten = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… and ${text.length - MAX_TEXT} more characters` : text;

/** The value of a variable that has its own name is left out. */
const formatMember = (name: string, value: string): string => (value === `\${${name}}` ? name : `${name}=${value}`);
