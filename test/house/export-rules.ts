import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { root } from '../docs/pages.js';
import type { Source } from './source.js';

const ENTRY = /^[\w.-]+\.ts$/;
/** Folders and files whose words count as a use: other packages, examples and documentation. */
const USERS = ['examples', 'docs', 'README.md'];
const TEXT = /\.(?:ts|tsx|mts|mjs|js|md)$/;

/** Lists the values that the entries of a package export and that no other package, example or page names. */
export function findUnusedExports(sources: readonly Source[], owner: string): string[] {
  const used = new Set(readUsers(owner).flatMap(text => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
  const exported = sources.filter(({ path }) => ENTRY.test(path)).flatMap(({ tree }) => listExportedValues(tree));
  return [...new Set(exported)].filter(name => !used.has(name)).sort();
}

/** Types are not listed: those of options and results are used without their names. */
function listExportedValues(tree: ts.SourceFile): string[] {
  return tree.statements.flatMap(statement => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, isTypeOnly } = statement;
      if (isTypeOnly || exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
      return exportClause.elements.filter(element => !element.isTypeOnly).map(({ name }) => name.text);
    }
    const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExportKeyword);
    return isExported && ts.isFunctionDeclaration(statement) && statement.name ? [statement.name.text] : [];
  });
}

const isExportKeyword = ({ kind }: ts.ModifierLike): boolean => kind === ts.SyntaxKind.ExportKeyword;

function readUsers(owner: string): string[] {
  const packages = readdirSync(join(root, 'packages')).filter(name => ![owner, 'tenon', 'base'].includes(name));
  const paths = [...packages.map(name => `packages/${name}/src`), ...USERS];
  return paths.flatMap(path => (TEXT.test(path) ? [path] : listTexts(path))).map(path => readText(path));
}

function listTexts(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`;
    if (/^(?:node_modules|dist|\..*|api)$/.test(entry.name)) return [];
    if (entry.isDirectory()) return listTexts(path);
    return TEXT.test(path) && !/\.test\.ts$/.test(path) ? [path] : [];
  });
}

const readText = (path: string): string => readFileSync(join(root, path), 'utf8');
