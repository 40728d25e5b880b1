import { readFileSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** A place in a source file. Lines and columns begin with 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** An error of a module, as it crosses the channel between processes. */
export interface ModuleError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Present if the module loads but exports no server: an invalid argument of the command. */
  readonly usage?: { readonly summary: string; readonly hint: string } | undefined;
  /** Place that the error itself names, as those of Bun do. */
  readonly location?: SourceLocation | undefined;
}

/** Path or URL, line and column, at the end of a frame of a stack. */
const FRAME = /[\s(](file:\/\/\S+?|\/\S+?|[A-Za-z]:\\\S+?):(\d+):(\d+)\)?$/gm;
/** First lines of a syntax error of Node: place, source lines, and marks below the faulty part. */
const EXCERPT = /^(file:\/\/\S+|\/\S+|[A-Za-z]:\\\S+):(\d+)\n(?:.*\n)*?(\s*)\^+\s*$/m;
/** Syntax error of esbuild, whose columns begin with 0. */
const ESBUILD = /^(.+):(\d+):(\d+): ERROR: (.*)$/m;
const NOT_FOUND = /^Cannot find (?:module|package) '([^']+)' imported from (.+?)$/m;

/**
 * Finds the place of an error in a source file. Frames of packages do not count, and those in the folder of the project
 * come first.
 */
export function locateError({ message, stack, location }: ModuleError, folder: string): SourceLocation | undefined {
  return location ?? locateSyntaxError(message, stack) ?? locateImport(message) ?? locateFrame(stack, folder);
}

/** Returns the message without the place, which is shown separately. */
export function cleanMessage({ message }: ModuleError): string {
  const [, , , , text] = ESBUILD.exec(message) ?? [];
  return text ?? stripVTControlCharacters(message).split(/\n +(?:\||at )/)[0] ?? message;
}

function locateSyntaxError(message: string, stack: string): SourceLocation | undefined {
  const [, source, sourceLine, sourceColumn] = ESBUILD.exec(message) ?? [];
  if (source !== undefined) return { file: toPath(source), line: Number(sourceLine), column: Number(sourceColumn) + 1 };
  const [, file, line, indent = ''] = EXCERPT.exec(stack) ?? [];
  return file === undefined ? undefined : { file: toPath(file), line: Number(line), column: indent.length + 1 };
}

/** Finds the line that imports a missing module. */
function locateImport(message: string): SourceLocation | undefined {
  const [, missing = '', importer] = NOT_FOUND.exec(message) ?? [];
  if (importer === undefined) return undefined;
  const file = toPath(importer);
  const lines = readLines(file);
  const line = lines.findIndex(text => /['"]/.test(text) && text.includes(basename(missing)));
  if (line < 0) return { file, line: 1, column: 1 };
  return { file, line: line + 1, column: Math.max(0, (lines[line] ?? '').search(/['"]/)) + 1 };
}

function locateFrame(stack: string, folder: string): SourceLocation | undefined {
  const frames = [...stripVTControlCharacters(stack).matchAll(FRAME)]
    .map(([, file = '', line, column]) => ({ file: toPath(file), line: Number(line), column: Number(column) }))
    .filter(({ file }) => !file.includes(`${sep}node_modules${sep}`));
  return frames.find(({ file }) => file.startsWith(folder + sep)) ?? frames[0];
}

const toPath = (place: string): string => (place.startsWith('file:') ? fileURLToPath(place) : place);

export function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
