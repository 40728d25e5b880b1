// @ts-check
/** Figures that were measured when all was well. A change that makes one of them worse shows when it is measured again. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, root } from '../../scripts/process.mjs';
import { getTargetStatuses } from './targets.mjs';

/** @typedef {import('./rows.mjs').Parts} Parts */
/** Figures by the work that they are of. @typedef {Record<string, number[]>} Reference */

const file = join(root, 'bench/reference.json');
/** More than this much above its reference is a regression. */
const TOLERANCE = 0.15;

/** @param {Parts} parts @returns {Reference} */
const readFigures = parts =>
  Object.fromEntries(
    getTargetStatuses(parts).flatMap(({ work, figures }) => (figures.length > 0 ? [[work, figures]] : [])),
  );

/** Figures that are more than the tolerance above their reference. @param {Reference} figures @param {Reference} reference */
export const findRegressions = (figures, reference) =>
  Object.entries(figures).flatMap(([work, measured]) =>
    measured.flatMap((figure, at) => {
      const before = reference[work]?.[at];
      return before !== undefined && figure > before * (1 + TOLERANCE) ? [{ work, before, figure }] : [];
    }),
  );

/** Says which figures have become worse, and lets the process fail for it. @param {Parts} parts */
export function checkReference(parts) {
  const figures = readFigures(parts);
  const regressions = findRegressions(figures, readJson(file).figures);
  for (const { work, before, figure } of regressions)
    console.error(
      `${work}: ${figure.toFixed(2)}, which is ${((figure / before - 1) * 100).toFixed(0)} % above ${before}`,
    );
  console.log(`${Object.keys(figures).length} rows checked, ${regressions.length} figures above their reference`);
  if (regressions.length > 0) process.exitCode = 1;
}

/** @param {Parts} parts */
export async function writeReference(parts) {
  const rounded = Object.entries(readFigures(parts)).map(([work, figures]) => [
    work,
    figures.map(figure => Number(figure.toPrecision(4))),
  ]);
  const description =
    'Figures by row of bench/results/README.md. `npm run bench -- check` fails when one is 15 % above.';
  await writeFile(file, `${JSON.stringify({ description, figures: Object.fromEntries(rounded) }, undefined, 2)}\n`);
}
