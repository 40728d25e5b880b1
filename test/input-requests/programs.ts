import fc from 'fast-check';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { createContext } from '../../packages/tenon/src/execution/fixtures/playing.js';
import type { HandlerRun, RunHandler } from '../../packages/tenon/src/execution/handler-run.js';

/** A handler as a value. What it asks and does next depends on what it was answered and has done. */
export type Act =
  | { readonly act: 'ask' }
  | { readonly act: 'step' }
  | { readonly act: 'wait'; readonly ms: number | undefined }
  | { readonly act: 'all'; readonly branches: readonly Program[] };

export type Program = readonly Act[];

const leaf: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Act>({ act: 'ask' }) },
  { weight: 2, arbitrary: fc.constant<Act>({ act: 'step' }) },
  { weight: 1, arbitrary: fc.constantFrom(undefined, 0, 1, 3).map((ms): Act => ({ act: 'wait', ms })) },
);

/** Programs in which so many levels run side by side. */
function programsOf(levels: number): fc.Arbitrary<Program> {
  if (levels === 0) return fc.array(leaf, { maxLength: 3 });
  const branches = fc.array(programsOf(levels - 1), { minLength: 1, maxLength: 3 });
  const all = branches.map((each): Act => ({ act: 'all', branches: each }));
  return fc.array(fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: all }), { maxLength: 5 });
}

export const programs: fc.Arbitrary<Program> = programsOf(2);

/** Where a handler could be cut, and where its effects are seen. */
export interface ProgramSite {
  /** Passed before and after all that is awaited. */
  advance(): Promise<void>;
  /** A step has its effect: the n-th of this branch. */
  effect(branch: string, n: number, what: string): void;
}

/** What a question is answered with depends on nothing but the question. */
function numberOf(text: string): number {
  let value = 7;
  for (const char of text) value = (value * 31 + char.charCodeAt(0)) % 9973;
  return value;
}

export const answerRequest = ({ message }: JsonObject): JsonObject => ({
  action: 'accept',
  content: { value: numberOf(message as string) },
});

/** Makes a handler of a program, with a layer around it when it is to have one. */
export function createAsker(program: Program, site: ProgramSite, layered = false): RunHandler {
  const handler = async (run: HandlerRun) => ({ sum: await runAll(run, program, 'r', 1, site) });
  if (!layered) return run => run.invokeHandler(createContext(), () => handler(run));
  return async run => {
    const before = await runAll(run, [{ act: 'step' }, { act: 'ask' }], 'before', 1, site);
    const result = await run.invokeHandler(createContext(), () => handler(run));
    if (result.resultType === 'input_required') return result;
    return { ...result, before, after: await runAll(run, [{ act: 'ask' }, { act: 'step' }], 'after', 2, site) };
  };
}

async function runAll(
  run: HandlerRun,
  program: Program,
  branch: string,
  start: number,
  site: ProgramSite,
): Promise<number> {
  let sum = start;
  let steps = 0;
  for (const [index, each] of program.entries()) {
    await site.advance();
    if (each.act === 'ask') sum = (sum * 3 + (await ask(run, `${branch}|${sum}`))) % 9973;
    if (each.act === 'step') sum = (sum * 5 + (await step(run, branch, steps++, sum, site))) % 9973;
    if (each.act === 'wait') await waited(each.ms);
    if (each.act === 'all') {
      const from = sum;
      const branches = each.branches.map((one, n) => runAll(run, one, `${branch}.${index}-${n}`, from + n, site));
      for (const value of await Promise.all(branches)) sum = (sum * 7 + value) % 9973;
    }
    await site.advance();
  }
  return sum;
}

async function ask(run: HandlerRun, message: string): Promise<number> {
  const params = { message, requestedSchema: { type: 'object', properties: {} } };
  const { content } = await run.request('elicitation/create', params);
  return (content as { value: number }).value;
}

async function step(run: HandlerRun, branch: string, n: number, sum: number, site: ProgramSite): Promise<number> {
  const done = await run.step(branch, async () => {
    await site.advance();
    site.effect(branch, n, `${n}:${sum}`);
    await site.advance();
    return { value: numberOf(`${branch}${sum}`) };
  });
  return (done as { value: number }).value;
}

function waited(ms: number | undefined): Promise<void> {
  return ms === undefined ? Promise.resolve() : new Promise(resolve => setTimeout(resolve, ms));
}
