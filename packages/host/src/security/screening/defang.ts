import { isRendered } from './markup/html-elements.js';
import { formatHost } from './markup/link-target.js';
import { type MarkdownLink, parseMarkdown } from './markup/markdown.js';

/** Converts images, links and markup to plain text that shows their targets. No content is removed. */

interface TextEdit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

export function defang(text: string): string {
  const edits: TextEdit[] = [];
  parseMarkdown(
    text,
    part => {
      if (part.form === 'tag') {
        if (isRendered(text.slice(part.at, part.end))) edits.push({ at: part.at, end: part.at + 1, text: '‹' });
      } else if (part.form !== 'use') edits.push(...createLinkEdits(part));
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

/**
 * Replaces the brackets of a link. They are not simply removed, because the surrounding text could then become a link.
 */
function createLinkEdits(lead: MarkdownLink): TextEdit[] {
  const name = lead.form === 'image' ? '‹image ' : '‹';
  const title = lead.title === '' ? '' : ` “${lead.title.replace(/[[\]<>()]/g, ' ')}”`;
  const opening = lead.labelAt === lead.at ? [] : [{ at: lead.at, end: lead.labelAt, text: name }];
  return [...opening, { at: lead.labelEnd, end: lead.end, text: `${title} → ${formatHost(lead.url)}›` }];
}
