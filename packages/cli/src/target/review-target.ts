import { type ConfiguredEntry, sanitizeText } from 'tenon/host';
import type { CliContext } from '../cli-context.js';
import { listReferences } from './fill-references.js';

const MAX_TEXT = 2000;

/** Tells what a server runs or where it is, and which variables it gets, before the user approves it. */
export function reviewTarget({ screen }: Pick<CliContext, 'screen'>, target: ConfiguredEntry['target']): void {
  const note = (text: string) => screen.note(sanitizeText(text, { max: MAX_TEXT }));
  if ('url' in target) note(`It is at ${target.url}`);
  else note(`It runs ${[target.command, ...(target.args ?? [])].join(' ')}`);
  const [kind, members] = 'url' in target ? ['headers', target.headers] : ['variables', target.env];
  const named = Object.entries(members ?? {}).map(([name, value]) => formatMember(name, String(value)));
  if (named.length > 0) note(`It gets these ${kind}: ${named.join(', ')}`);
  const references = listReferences(target);
  if (references.length > 0) note(`Set before it starts: ${references.join(', ')}`);
}

/** The value of a variable that has its own name is left out. */
const formatMember = (name: string, value: string): string => (value === `\${${name}}` ? name : `${name}=${value}`);
