// @ts-check
/**
 * Loaded before a program: records a profile of it from SIGUSR2 on, and writes it when the program ends, to the file that
 * `?to=` of this module's own URL names.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const file = new URL(import.meta.url).searchParams.get('to') ?? '';
const session = new Session();
session.connect();
session.post('Profiler.enable');
process.once('SIGUSR2', () => {
  session.post('Profiler.start');
  process.on('exit', () =>
    session.post('Profiler.stop', (_, { profile }) => writeFileSync(file, JSON.stringify(profile))),
  );
});
process.once('SIGTERM', () => process.exit(0));
