import type { DoctorReport } from '../../packages/cli/src/doctor/finding.js';

/** IDs of the problems and warnings of a report. */
export const listWarnings = ({ findings }: DoctorReport): string[] =>
  findings.filter(({ severity }) => severity === 'problem' || severity === 'warning').map(({ id }) => id);
