import { writeBlockComment, writeCommentLines, writeJsonMember } from '@tenon/base/writers';
import type { JsonObject } from 'tenon';

/** Formats the description and the default of a schema as a documentation comment, with a line break at its end. */
export function formatComment(schema: JsonObject, indent: string): string {
  const { title, description, deprecated } = schema;
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const [shown] = 'default' in schema ? writeCommentLines(writeJsonMember(schema, 'default')) : [];
  const lines = [
    ...writeCommentLines(text),
    ...(shown === undefined ? [] : [`@default ${shown}`]),
    ...(deprecated === true ? ['@deprecated'] : []),
  ];
  return writeBlockComment(lines, indent);
}
