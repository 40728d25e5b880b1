import type { JsonObject } from 'tenon';

const MAX_LINES = 20;
const MAX_LINE = 500;

/** Formats the description and the default of a schema as a documentation comment, with a line break at its end. */
export function formatComment(schema: JsonObject, indent: string): string {
  const { title, description, deprecated } = schema;
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const lines = text
    .trim()
    .split(/\r\n?|[\n\p{Zl}\p{Zp}]/u)
    .slice(0, MAX_LINES)
    // The text comes from a server: it must not end the comment.
    .map(line => line.replaceAll(/\p{C}/gu, '').replaceAll('*/', '*\\/').slice(0, MAX_LINE).trimEnd());
  if (lines.length === 1 && lines[0] === '') lines.pop();
  if ('default' in schema) lines.push(`@default ${JSON.stringify(schema.default).replaceAll('*/', '*\\/')}`);
  if (deprecated === true) lines.push('@deprecated');
  if (lines.length === 0) return '';
  const [only = ''] = lines;
  return lines.length === 1 && !only.startsWith('@')
    ? `${indent}/** ${only} */\n`
    : `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
