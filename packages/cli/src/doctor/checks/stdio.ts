import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { getSpecificationPage } from '../finding.js';

/** Time after which the client ends a process that ignores the end of its input, in milliseconds, with a margin. */
const MAX_EXIT_TIME = 1900;

/** Examines a process: output that is no protocol message, and the exit when its input ends. */
export const stdioCheck: Check = {
  id: 'stdio',
  title: 'Standard streams',
  requires: 'stdio',
  run({ stdio, connection }, { ok, info, warning, problem }) {
    if (!stdio) return [];
    const spec = getSpecificationPage('basic/transports/stdio');
    const findings: Finding[] = [];
    const [noise] = stdio.noise;
    if (noise)
      findings.push(
        problem('noise', 'the server writes other text than messages to standard output', {
          seen: noise.received ?? noise.summary,
          cause: 'hosts report each such line as an error, and some close the connection',
          fix: 'write logs to standard error: console.error in JavaScript, or `import "tenon/stdio"` first',
          spec,
        }),
      );
    // A program that did not start has neither written nor exited as it should.
    else if (connection) findings.push(ok('noise', 'standard output has only messages'));
    const [exit] = stdio.exits;
    if (exit && connection && / by SIG/.test(exit.summary))
      findings.push(
        warning('killed', 'a signal ended the process', {
          seen: exit.summary.slice(0, 300),
          cause: 'the doctor starts several processes of a server: servers of one port often end each other',
          fix: 'use the server by one client at a time, or correct what ends it',
        }),
      );
    else if (exit && connection)
      findings.push(
        problem('ended', 'the process ends by itself', {
          seen: exit.summary.slice(0, 300),
          cause: 'hosts start it again for each call, or give up',
          fix: 'answer each request, also one that is unknown or fails, and exit only when standard input ends',
          spec,
        }),
      );
    const lines = [...new Set(stdio.stderr)].filter(line => line.trim() !== '');
    if (lines.length > 0 && connection)
      findings.push(info('stderr', 'the server writes to standard error', { seen: lines.slice(0, 3).join(' | ') }));
    if (stdio.exitTimes.length > 0 && connection) {
      const [fastest, slowest] = [Math.min(...stdio.exitTimes), Math.max(...stdio.exitTimes)];
      const seen = `still running after ${(slowest / 1000).toFixed(1)} s`;
      if (slowest < MAX_EXIT_TIME) findings.push(ok('exit', 'the process exits when its standard input ends'));
      // A process that never exits by itself is slow each time. One that is slow once shows a busy machine.
      else if (fastest < MAX_EXIT_TIME)
        findings.push(info('exit', 'a process exits slowly when its standard input ends', { seen, spec }));
      else
        findings.push(
          warning('exit', 'the process does not exit when its standard input ends', {
            seen,
            cause: 'processes remain after the host has ended, or the host must kill them',
            fix: 'exit on the end of standard input, and close timers, servers and connections',
            spec,
          }),
        );
    }
    return findings;
  },
};
