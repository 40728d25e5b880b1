import { describe, expect, it } from 'vitest';
import type { DoctorContext } from '../check.js';
import { createFindingFactory } from '../finding.js';
import { createObservation } from '../observe-stdio.js';
import { stdioCheck } from './stdio.js';

describe('the check of exits', () => {
  it.each([
    [[300, 400], 'ok'],
    [[300, 4400], 'info'],
    [[2010, 4400], 'warning'],
  ] as const)('tells a busy machine from a process that never exits by itself: %j', async (times, severity) => {
    const stdio = { ...createObservation(), exitTimes: [...times] };
    const context = { stdio, connection: {} } as unknown as DoctorContext;
    const findings = await stdioCheck.run(context, createFindingFactory('stdio'));
    expect(findings.find(({ id }) => id === 'stdio.exit')).toMatchObject({ severity });
  });
});
