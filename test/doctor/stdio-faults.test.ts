import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runDoctor } from '../../packages/cli/src/doctor/run-doctor.js';
import { takeCover, takePart } from '../support/extent.js';
import { listWarnings } from './list-warnings.js';
import { type SeededStdioFault, stdioFaults } from './stdio-faults.js';

const program = fileURLToPath(new URL('stdio-program.mjs', import.meta.url));

const examine = (fault: string, { calls = [], timeout = 20_000, protocolVersion }: Partial<SeededStdioFault> = {}) =>
  runDoctor({ command: process.execPath, args: [program, fault] }, fault, {
    samples: 1,
    timeout,
    skip: ['latency'],
    calls,
    protocolVersion,
  });

it('reports no problem in a correct stdio server', async () => {
  expect(listWarnings(await examine('none'))).toEqual([]);
});

it.each(
  takePart(
    takeCover(stdioFaults, ({ isRepeated = false }) => !isRepeated),
    0,
    3,
  ),
)('reports on stdio exactly: $title', async ({ fault, found, text = /./, ...options }) => {
  const report = await examine(fault, options);
  expect(listWarnings(report)).toEqual(found);
  expect(JSON.stringify(report.findings)).toMatch(text);
});
