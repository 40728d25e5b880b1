/**
 * `npm run requirements` prints what of the specification is covered by tests. With `--write` the list of debts loses
 * what is covered now; only with `--force` may it gain something.
 */
import { writeFileSync } from 'node:fs';
import { cover, readEvidence, table } from './coverage.js';
import { type Requirement, uncoveredPath } from './ledger.js';

const evidence = readEvidence();
const coverage = cover(evidence);
console.log(table(evidence.requirements, coverage));
console.log(`\n${coverage.debts.length} ids are uncovered: test/requirements/uncovered.tsv`);
notify('Cited, but in no ledger', coverage.unknown);
notify('Stale waivers', coverage.staleWaivers);
notify('Uncovered, but not on the list', coverage.undeclared);
notify('On the list, but no debt any more', coverage.settled);

if (process.argv.includes('--write')) write();

function notify(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map(line => `  ${line}`).join('\n')}`);
}

function write(): void {
  const force = process.argv.includes('--force');
  const debts = coverage.debts.filter(id => force || evidence.uncovered.includes(id));
  const rows = debts.map(id => {
    const of = evidence.requirements.filter(row => row.id === id);
    const { role, level, text } = of[0] as Requirement;
    return [id, role, level, of.map(({ version }) => version).join(' '), text].join('\t');
  });
  writeFileSync(uncoveredPath, `${['id\trole\tlevel\tversions\ttext', ...rows].join('\n')}\n`);
  console.log(`\nWrote ${rows.length} ids.`);
}
