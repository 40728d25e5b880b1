import { fileURLToPath } from 'node:url';
import ts from 'typescript-5';

/** What an editor knows of a program: a TypeScript language service over one file that is on no disk. */
export interface Editor {
  readonly program: ts.Program;
  readonly source: ts.SourceFile;
  /** What is shown of the name that starts where `before` ends. */
  hover(before: string): string;
  /** The documentation comment that is shown with that. */
  documentation(before: string): string;
  /** The names that are suggested where `before` ends. */
  completions(before: string): readonly string[];
  /** The errors of the file, in the words that its author sees, each with its line (from 0). */
  readonly errors: readonly { readonly line: number; readonly words: string }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Files that are parsed are parsed once for all. */
const registry = ts.createDocumentRegistry();
const file = fileURLToPath(new URL('./written-here.ts', import.meta.url));

let edits = 0;
/** The last program, because several suites look at the same one, and a program takes much memory. */
let last: { readonly text: string; readonly editor: Editor } | undefined;

export function edit(text: string): Editor {
  if (last?.text !== text) last = { text, editor: open(text) };
  return last.editor;
}

function open(text: string): Editor {
  edits += 1;
  const version = String(edits);
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const service = ts.createLanguageService(
    {
      getCompilationSettings: () => ({ ...options, noUnusedLocals: false }),
      getScriptFileNames: () => [file],
      getScriptVersion: path => (path === file ? version : '1'),
      getScriptSnapshot(path) {
        const found = path === file ? text : ts.sys.readFile(path);
        return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: path => path === file || ts.sys.fileExists(path),
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      // Development tools are linked into node_modules: their own packages are found from the real folder only.
      ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
    },
    registry,
  );
  const program = service.getProgram() as ts.Program;
  const positionAfter = (before: string): number => {
    const start = text.indexOf(before);
    if (start < 0) throw new Error(`there is no ${before} in the file`);
    return start + before.length;
  };
  return {
    program,
    source: program.getSourceFile(file) as ts.SourceFile,
    hover: before => ts.displayPartsToString(service.getQuickInfoAtPosition(file, positionAfter(before))?.displayParts),
    documentation: before =>
      ts.displayPartsToString(service.getQuickInfoAtPosition(file, positionAfter(before))?.documentation),
    completions: before =>
      (service.getCompletionsAtPosition(file, positionAfter(before), {})?.entries ?? []).map(({ name }) => name),
    errors: service.getSemanticDiagnostics(file).map(({ messageText, start = 0 }) => ({
      line: text.slice(0, start).split('\n').length - 1,
      words: ts.flattenDiagnosticMessageText(messageText, '\n'),
    })),
  };
}
