/** The shape of the code as figures. They are read in review; no test fails because of them. */
import { findTypeCycles } from './import-rules.js';
import { findFunctionsWithoutVerb } from './naming-rules.js';
import { getFunctions, type Source } from './source.js';

export interface Structure {
  readonly files: number;
  readonly codeLines: number;
  readonly fileLines: Percentiles;
  /** Lines of functions without those of the functions inside them. */
  readonly functionLines: Percentiles;
  readonly functionsWithoutVerb: number;
  readonly importsPerFile: number;
  /** Groups of files that name each other, by values or types. */
  readonly cycles: { readonly groups: number; readonly files: number; readonly largest: number };
  readonly largestFolder: { readonly path: string; readonly files: number };
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Measures one package. Lines of code are those that are neither empty nor only a comment. */
export function measureStructure(sources: readonly Source[]): Structure {
  const folders = new Map<string, number>();
  for (const { path } of sources) {
    const folder = path.split('/').slice(0, -1).join('/') || '.';
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const [largest] = [...folders].sort(([, one], [, other]) => other - one);
  const imports = sources.reduce((sum, { tree }) => sum + (tree.text.match(/^import |^} from /gm) ?? []).length, 0);
  const cycles = findTypeCycles(sources);
  return {
    files: sources.length,
    codeLines: sources.reduce((sum, source) => sum + countCodeLines(source.tree.text), 0),
    fileLines: computePercentiles(sources.map(({ tree }) => tree.text.replace(/\n$/, '').split('\n').length)),
    functionLines: computePercentiles(sources.flatMap(source => getFunctions(source).map(({ lines }) => lines))),
    functionsWithoutVerb: sources.flatMap(findFunctionsWithoutVerb).length,
    importsPerFile: imports / Math.max(1, sources.length),
    cycles: { groups: cycles.length, files: cycles.flat().length, largest: cycles[0]?.length ?? 0 },
    largestFolder: { path: largest?.[0] ?? '.', files: largest?.[1] ?? 0 },
  };
}

/** Returns the values that 50, 90, 99 and 100 % of the given ones do not exceed. */
function computePercentiles(values: readonly number[]): Percentiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

function countCodeLines(text: string): number {
  const withoutComments = text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '');
  return withoutComments.split('\n').filter(line => line.trim() !== '' && !line.trim().startsWith('//')).length;
}
