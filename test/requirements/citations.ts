import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';

/** Where an id is cited. */
export interface Citation {
  readonly id: string;
  readonly file: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const brackets = /\[([a-z][\w.*, -]*\.[\w.*, -]+)\]/g;
const skipped = /\.(skip|todo)$/;

/**
 * The ids that tests cite: in square brackets, several parted by spaces or commas, in the title of a test, another
 * string or a comment. Brackets whose first word is of no area (`areas`) are other text; tests that are marked as
 * skipped cite nothing.
 */
export function citationsIn(file: string, text: string, areas: ReadonlySet<string>): Citation[] {
  const written = idsIn(text, areas);
  if (written.length === 0) return [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const ids = stringsIn(tree).flatMap(each => idsIn(each, areas));
  // Comments take long to find, and most files have all ids in titles.
  if (!written.every(id => ids.includes(id))) ids.push(...commentsIn(tree).flatMap(each => idsIn(each, areas)));
  return ids.map(id => ({ id, file }));
}

function idsIn(prose: string, areas: ReadonlySet<string>): string[] {
  const groups = [...prose.matchAll(brackets)].map(match => (match[1] ?? '').split(/[\s,]+/).filter(Boolean));
  return groups.filter(ids => ids.some(id => areas.has(id.split('.')[0] ?? '') && id.includes('.'))).flat();
}

function stringsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
    return [node.text];
  if (ts.isCallExpression(node) && skipped.test(node.expression.getText())) return [];
  const found: string[] = [];
  ts.forEachChild(node, child => void found.push(...stringsIn(child)));
  return found;
}

function commentsIn(tree: ts.SourceFile): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const start = node.getFullStart();
    const leading = ts.getLeadingCommentRanges(tree.text, start) ?? [];
    const sameLine = ts.getTrailingCommentRanges(tree.text, start) ?? [];
    for (const { pos, end } of [...leading, ...sameLine]) found.add(tree.text.slice(pos, end));
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...found];
}

/** The files in which a citation counts: the tests beside the code, and all that is under test/ but the gate itself. */
function testFiles(): string[] {
  const beside = list('packages').filter(path => /\/src\/.*\.(test|test-d)\.ts$/.test(path));
  const apart = list('test').filter(path => /\.(ts|mts|mjs)$/.test(path) && !/^test\/requirements\/[^/]+$/.test(path));
  return [...beside, ...apart].sort();
}

function list(folder: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...list(path));
    else found.push(path);
  }
  return found;
}

export function readCitations(areas: ReadonlySet<string>): Citation[] {
  return testFiles().flatMap(file =>
    citationsIn(relative(root, join(root, file)), readFileSync(join(root, file), 'utf8'), areas),
  );
}
