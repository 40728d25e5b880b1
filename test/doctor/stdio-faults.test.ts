import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runDoctor } from '../../packages/cli/src/doctor/run-doctor.js';
import { listWarnings } from './list-warnings.js';
import { stdioFaults } from './stdio-faults.js';

const program = fileURLToPath(new URL('stdio-program.mjs', import.meta.url));

const examine = (fault: string, calls: readonly string[] = []) =>
  runDoctor({ command: process.execPath, args: [program, fault] }, fault, {
    samples: 1,
    timeout: fault === 'silent' ? 1000 : 20_000,
    skip: ['latency'],
    calls,
  });

it('finds nothing in a sound server on standard streams', async () => {
  expect(listWarnings(await examine('none'))).toEqual([]);
});

it.each(stdioFaults)('finds, on standard streams, nothing but: $title', async ({ fault, found, text = /./, calls }) => {
  const report = await examine(fault, calls);
  expect(listWarnings(report)).toEqual(found);
  expect(JSON.stringify(report.findings)).toMatch(text);
});
