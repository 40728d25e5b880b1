import { isObject, type JsonObject } from '@tenon/base';
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';

/** Fields at the beginning of a `SKILL.md`. */
export interface Frontmatter {
  readonly fields: JsonObject;
  /** Returns the line of a field, counted from 1. */
  lineOf(field: string): number;
}

/** A `SKILL.md` whose fields cannot be read, with the line of the issue. */
export class FrontmatterError extends Error {
  readonly line: number;

  constructor(summary: string, line: number) {
    super(summary);
    this.line = line;
  }
}

const OPENING = /^\ufeff?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/m;

/**
 * Parses the YAML at the beginning of a `SKILL.md`. Values are those of JSON, because entries of skills are JSON.
 * @throws FrontmatterError
 */
export function parseFrontmatter(text: string): Frontmatter {
  const [opening] = OPENING.exec(text) ?? [];
  if (opening === undefined) throw new FrontmatterError('the file does not begin with a line of ---', 1);
  const rest = text.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) throw new FrontmatterError('no second line of --- ends the fields', 1);
  const lines = new LineCounter();
  const document = parseDocument(rest.slice(0, closing.index), { lineCounter: lines, stringKeys: true });
  const [issue] = [...document.errors, ...document.warnings];
  if (issue) {
    const [summary = issue.code] = issue.message.split(/ at line \d|\n/);
    throw new FrontmatterError(`the fields are not valid YAML: ${summary}`, 1 + lines.linePos(issue.pos[0]).line);
  }
  const lineOf = (field: string) => {
    const { contents } = document;
    const keys = isMap(contents) ? contents.items.map(each => each.key).filter(each => isScalar(each)) : [];
    const range = keys.find(key => key.value === field)?.range;
    return 1 + (range ? lines.linePos(range[0]).line : 0);
  };
  return { fields: toJson(document), lineOf };
}

function toJson(document: { toJS(options: { maxAliasCount: number }): unknown }): JsonObject {
  let fields: unknown;
  try {
    // Aliases could repeat a value without end.
    fields = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new FrontmatterError('the fields contain an alias', 2);
  }
  const json: unknown = JSON.parse(
    JSON.stringify(fields, (_, value: unknown) => {
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new FrontmatterError('the fields contain a number that JSON does not have', 2);
      return value;
    }) ?? 'null',
  );
  if (!isObject(json)) throw new FrontmatterError('the fields are no mapping of names to values', 2);
  return json;
}
