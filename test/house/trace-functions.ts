import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import ts from 'typescript-5';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a program whose code of the packages records each function that it enters: `globalThis.enteredFunctions` is the
 * list of them while it is an array. Returns what the program prints.
 */
export async function runTraced(program: string, args: readonly string[] = []): Promise<string> {
  // Below node_modules, so that the built program finds its dependencies.
  const folder = mkdtempSync(join(root, 'node_modules', '.traced-'));
  try {
    await build({
      entryPoints: { program },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'es2022',
      absWorkingDir: root,
      logLevel: 'error',
      plugins: [recordFunctions],
    });
    return execFileSync(process.execPath, [join(folder, 'program.mjs'), ...args], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

const recordFunctions: Plugin = {
  name: 'record-functions',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const name = path.slice(root.length).split(sep).join('/').replace('packages/', '').replace('/src/', '/');
      return { contents: addRecords(name, readFileSync(path, 'utf8')), loader: 'ts' };
    }),
};

/** Adds a record to the beginning of each function of a file. */
export function addRecords(file: string, text: string): string {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const inserts: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    const body = ts.isFunctionLike(node) && 'body' in node ? (node.body as ts.Node | undefined) : undefined;
    if (body) {
      const record = `globalThis.enteredFunctions?.push(${JSON.stringify(`${file}#${getName(node)}`)})`;
      if (ts.isBlock(body)) inserts.push({ at: findStart(node, body), text: `${record};` });
      else inserts.push({ at: body.getStart(), text: `(${record},(` });
      ts.forEachChild(node, visit);
      if (!ts.isBlock(body)) inserts.push({ at: body.getEnd(), text: '))' });
    } else ts.forEachChild(node, visit);
  };
  visit(tree);
  // A stable sort keeps the order of insertions at one place: of beginnings the outer one first, of ends the inner one.
  const sorted = inserts.sort((one, other) => one.at - other.at);
  let result = '';
  let end = 0;
  for (const { at, text: added } of sorted) {
    result += text.slice(end, at) + added;
    end = at;
  }
  return result + text.slice(end);
}

/** Returns the place behind the brace, or behind the call of `super` in a constructor. */
function findStart(node: ts.Node, body: ts.Block): number {
  const [first] = body.statements;
  const isSuper =
    ts.isConstructorDeclaration(node) &&
    first !== undefined &&
    ts.isExpressionStatement(first) &&
    ts.isCallExpression(first.expression) &&
    first.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper ? first.getEnd() : body.getStart() + 1;
}

function getName(node: ts.Node): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if ('name' in node && node.name) return (node.name as ts.Node).getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : '(anonymous)';
}
