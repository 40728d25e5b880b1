import { isRendered } from './elements.js';
import { eachPart, type Lead } from './markdown.js';
import { hostShown } from './target.js';

/** Turns images, links and markup into plain text that says where they lead. Nothing that was there is left out. */

interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

export function defang(text: string): string {
  const edits: Edit[] = [];
  eachPart(
    text,
    part => {
      if (part.form === 'tag') {
        if (isRendered(text.slice(part.at, part.end))) edits.push({ at: part.at, end: part.at + 1, text: '‹' });
      } else if (part.form !== 'use') edits.push(...leadShown(part));
    },
    { steps: 0 },
  );
  if (edits.length === 0) return text;
  edits.sort((a, b) => a.at - b.at);
  const parts: string[] = [];
  let done = 0;
  for (const edit of edits) {
    if (edit.at < done) continue;
    parts.push(text.slice(done, edit.at), edit.text);
    done = edit.end;
  }
  return parts.join('') + text.slice(done);
}

/** The brackets are never just taken away: what stands around them must not become a link by that. */
function leadShown(lead: Lead): Edit[] {
  const name = lead.form === 'image' ? '‹image ' : '‹';
  const title = lead.title === '' ? '' : ` “${lead.title.replace(/[[\]<>()]/g, ' ')}”`;
  const opening =
    lead.labelAt > lead.labelEnd || lead.labelAt === lead.at ? [] : [{ at: lead.at, end: lead.labelAt, text: name }];
  return [...opening, { at: lead.labelEnd, end: lead.end, text: `${title} → ${hostShown(lead.url)}›` }];
}
