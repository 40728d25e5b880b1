/**
 * Serves each OpenAPI document of a folder, and calls ten of its tools: `npx tsx bench/openapi/try-documents.ts <folder>`. A folder
 * within it is a document in several files, whose main file has the member `openapi` or `swagger`.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tryDocument } from '../../test/openapi/try-document.js';

const [folder, ...only] = process.argv.slice(2);
if (folder === undefined) throw new Error('no folder. Run `npx tsx bench/openapi/try-documents.ts <folder> [name…]`');

const findMain = (path: string): string | undefined => {
  const files = statSync(path).isDirectory() ? readdirSync(path).map(name => join(path, name)) : [path];
  return files.find(
    each =>
      /\.(?:json|ya?ml)$/.test(each) &&
      /^\s*"?(?:openapi|swagger)"?\s*:/m.test(readFileSync(each, 'utf8').slice(0, 5_000_000).replace(/^\{/, '')),
  );
};

console.log('document,operations,taken,changed,left out,with output,calls,failed,ms,list (KiB)');
for (const name of readdirSync(folder).sort()) {
  if (only.length > 0 && !only.includes(name)) continue;
  const main = findMain(join(folder, name));
  if (main === undefined) continue;
  const { report, withOutput, calls, duration, listLength } = await tryDocument(main);
  const { taken, changed, leftOut, notChosen } = report;
  const failed = calls.filter(each => each.problem !== undefined);
  console.log(
    [
      name,
      taken.length + leftOut.length + notChosen.length,
      taken.length,
      changed.length,
      leftOut.length,
      withOutput,
      calls.length,
      failed.length,
      Math.round(duration),
      Math.round(listLength / 1024),
    ].join(','),
  );
  for (const { tool, problem } of failed) console.log(`  ${tool}: ${problem}`);
  for (const { operation, reason } of leftOut.slice(0, 5)) console.log(`  left out: ${operation}: ${reason}`);
  const reasons = new Map<string, number>();
  for (const change of changed.flatMap(each => each.changes)) {
    const kind = change
      .replace(/`[^`]*`/g, '…')
      .replace(/\d+/g, 'N')
      .slice(0, 90);
    reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
  }
  for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 4))
    console.log(`  changed: ${reason} (${count})`);
}
