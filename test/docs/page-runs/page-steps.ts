/** One thing that the reader of a page does. */
export type Step =
  | { readonly kind: 'write'; readonly file: string; readonly text: string }
  | {
      readonly kind: 'run';
      readonly line: string;
      /** True for the first line of a block. */
      readonly isFirst: boolean;
      /** Output of the whole block, if this is its last line and the page shows the output. */
      readonly output: string | undefined;
    }
  /** The reader ends all servers. */
  | { readonly kind: 'stop' }
  /** A command that no test runs, with the reason that the page states: `<!-- not run: REASON -->`. */
  | { readonly kind: 'not-run'; readonly line: string; readonly reason: string };

type Part =
  | { readonly kind: 'fence'; readonly language: string; readonly info: string; readonly text: string }
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'reason'; readonly text: string };

/** Programs of which a page prints command lines. */
const COMMAND = /^(npx|npm|node|bun|bunx|deno|tenon|curl) /;
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'console']);
const OUTPUTS: ReadonlySet<string> = new Set(['text', 'json']);
const OWN_PACKAGE = /(?:^|\s)(?:tenon|@tenon\/\w+)(?=[\s@]|$)/;

/** Tells if the first commands of a page install one of our packages, or create a project with one. */
export function beginsWithInstall(text: string): boolean {
  const first = readParts(text).find(part => part.kind === 'fence' && SHELLS.has(part.language));
  return first !== undefined && splitLines(first.text).some(isInstall);
}

function isInstall(line: string): boolean {
  return /^(npm (i|install|create|init)|bun (add|create)|deno add|pnpm|yarn)\b/.test(line) && namesOwnPackage(line);
}

const namesOwnPackage = (line: string): boolean => OWN_PACKAGE.test(line.replaceAll('npm:', ''));

/** Lists the steps of a page, in the order in which a reader takes them. */
export function readSteps(text: string): Step[] {
  const parts = readParts(text);
  const steps: Step[] = [];
  const written = new Set<string>();
  /** Commands that the page names before the file that they need. */
  let waiting: { readonly line: string; readonly file: string }[] = [];
  const outputs = new Map<string, string>();
  let savedAs: string | undefined;
  let reason: string | undefined;

  /** Lines in one block share their output. Those in prose are typed in different terminals. */
  const run = (lines: readonly string[], output: string | undefined, isBlock = false): void => {
    if (lines.length === 0) return;
    const shown = output ?? findOutput(lines, outputs);
    for (const [index, line] of lines.entries()) {
      const isLast = index === lines.length - 1;
      if (reason !== undefined) steps.push({ kind: 'not-run', line, reason });
      else steps.push({ kind: 'run', line, isFirst: !isBlock || index === 0, output: isLast ? shown : undefined });
    }
    reason = undefined;
  };

  for (const [index, part] of parts.entries()) {
    const output = findNextOutput(parts, index);
    if (part.kind === 'reason') {
      reason = part.text;
    } else if (part.kind === 'prose') {
      savedAs = /\b[Ss]ave (?:this|it|the [\w ]+)(?: \w+)* as `([^`]+)`|[Ss]tart with this `([^`]+)`/
        .exec(part.text)
        ?.slice(1)
        .find(name => name !== undefined);
      if (/\b[Ss]top\b[^.]*\bwith Ctrl-C\b/.test(part.text)) steps.push({ kind: 'stop' });
      const { now, later } = splitCommands(findCommands(part.text), savedAs, written);
      waiting = [...waiting, ...later];
      run(now, output);
    } else if (SHELLS.has(part.language)) {
      run(splitLines(part.text), output, true);
    } else {
      const file = nameFile(part.info, part.text) ?? (OUTPUTS.has(part.language) ? undefined : savedAs) ?? savedAs;
      savedAs = undefined;
      if (file === undefined || isForeign(file)) continue;
      steps.push({ kind: 'write', file, text: part.text });
      written.add(file);
      const due = waiting.filter(each => each.file === file);
      waiting = waiting.filter(each => each.file !== file);
      if (due.length > 0)
        run(
          due.map(({ line }) => line),
          output,
        );
      else if (output !== undefined) outputs.set(file, output);
    }
  }
  return steps;
}

/** Blocks with code of other libraries, which a page shows for comparison. */
const isForeign = (file: string): boolean => /(^|\/)sdk-[^/]*$/.test(file);

function readParts(text: string): Part[] {
  const pattern =
    /^```(\w*)(.*)\n([\s\S]*?)^```$|^<!-- not run: ([\s\S]*?) -->$|^(?!```|<!--)\S[^\n]*(?:\n(?!```|<!--)\S[^\n]*)*/gm;
  return [...text.matchAll(pattern)].map(([fullText, language, info = '', code, reason]): Part => {
    if (code !== undefined) return { kind: 'fence', language: language ?? '', info, text: code };
    return reason === undefined ? { kind: 'prose', text: fullText } : { kind: 'reason', text: reason };
  });
}

/** The output that follows a part directly, or after a paragraph that says only what prints it. */
function findNextOutput(parts: readonly Part[], index: number): string | undefined {
  const next = parts[index + 1];
  return next?.kind === 'fence' && OUTPUTS.has(next.language) && next.info.trim() === '' ? next.text : undefined;
}

/** The output that a page shows behind the file that a command runs. */
function findOutput(lines: readonly string[], outputs: ReadonlyMap<string, string>): string | undefined {
  const file = findFile(lines.at(-1) ?? '');
  return file === undefined ? undefined : outputs.get(file);
}

const findFile = (line: string): string | undefined =>
  line.split(' ').find(word => /^[\w./-]+\.(ts|js|mjs)$/.test(word));

/** Command lines in prose that the reader is told to run. Those in tables and lists are examples. */
function findCommands(prose: string): string[] {
  if (/^(\||-|\d+\.|:::|#|>)/.test(prose)) return [];
  const sentences = prose.replace(/\n/g, ' ').split(/(?<=[.:])\s/);
  return sentences
    .filter(sentence => /\b([Rr]un|[Ss]tart)( it)?( with)? `|` prints/.test(sentence))
    .flatMap(sentence => [...sentence.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line))
    .filter(line => COMMAND.test(line));
}

function splitCommands(lines: readonly string[], savedAs: string | undefined, written: ReadonlySet<string>) {
  const now: string[] = [];
  const later: { line: string; file: string }[] = [];
  for (const line of lines) {
    const file = savedAs ?? findFile(line);
    if (file === undefined || (savedAs === undefined && written.has(file))) now.push(line);
    else later.push({ line, file });
  }
  return { now, later };
}

/** The name behind the fence, or in a comment on the first line. */
function nameFile(info: string, text: string): string | undefined {
  const named = /\btitle=(\S+)/.exec(info)?.[1] ?? /\bfile=(\S+)/.exec(info)?.[1];
  return named ?? /^(?:\/\/|#) ([\w./[\]-]+\.\w+)\n/.exec(text)?.[1];
}

/** Splits a block into command lines: a line can end with `\`, and quotes can span several. */
function splitLines(block: string): string[] {
  const lines: string[] = [];
  let open = '';
  for (const line of block.trimEnd().split('\n')) {
    open += open === '' ? line : `\n${line}`;
    if (line.endsWith('\\') || (open.match(/'/g) ?? []).length % 2 === 1) continue;
    lines.push(open.replace(/\s+# .*$/, ''));
    open = '';
  }
  return lines.filter(line => line.trim() !== '' && !line.startsWith('#'));
}
