import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { FailureReporter } from './test/support/failure-reporter.js';
import { ProgressReporter } from './test/support/progress-reporter.js';

/** `npm test` runs a cover of the tests. */
const isCover = process.env.TENON_TEST_EXTENT === 'cover';
/** Files for the report that `npm test` reads: of all tests, and of the failures. */
const { TENON_TEST_REPORT: report, TENON_TEST_FAILURES: failures } = process.env;

const source = (path: string, name = 'tenon') =>
  fileURLToPath(new URL(`./packages/${name}/src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^tenon$/, replacement: source('index.node.ts') },
      {
        find: /^tenon\/(node|stdio|http|compose|proxy|escape|sqlite|redis|postgres|telemetry)$/,
        replacement: source('$1.ts'),
      },
      { find: /^tenon\/auth$/, replacement: source('auth.node.ts') },
      { find: 'tenon/host-internals/node', replacement: source('host-internals-node.ts') },
      { find: 'tenon/host-internals', replacement: source('host-internals.ts') },
      { find: '@tenon/host', replacement: source('index.node.ts', 'host') },
      { find: 'tenon/auth/node', replacement: source('auth-node.ts') },
      { find: 'tenon/testing-internals', replacement: source('testing-internals.ts') },
      { find: '@tenon/testing', replacement: source('index.ts', 'testing') },
      { find: /^@tenon\/base$/, replacement: source('index.ts', 'base') },
      { find: /^@tenon\/base\/(writers|oauth|node)$/, replacement: source('$1.ts', 'base') },
      { find: '@tenon/ai', replacement: source('index.ts', 'ai') },
      { find: /^@tenon\/apps$/, replacement: source('index.ts', 'apps') },
      { find: /^@tenon\/apps\/(page|host|sandbox)$/, replacement: source('$1.ts', 'apps') },
      { find: /^@tenon\/skills$/, replacement: source('index.ts', 'skills') },
      { find: /^@tenon\/skills\/(client|host)$/, replacement: source('$1.ts', 'skills') },
      { find: '@tenon/console/api', replacement: source('api.ts', 'console') },
      { find: '@tenon/openapi', replacement: source('index.node.ts', 'openapi') },
      { find: '@tenon/issuer', replacement: source('index.ts', 'issuer') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Tests that take long run in `npm run test:full`, and where they are named.
    exclude: ['**/node_modules/**', '**/dist/**', ...(isCover ? ['**/*.full.test.ts'] : [])],
    setupFiles: ['test/support/patient-waits.ts'],
    expect: { poll: { timeout: 55_000, interval: 20 } },
    globalSetup: ['test/support/temporary-folders.ts', 'test/support/report-missing.ts'],
    reporters: [
      new ProgressReporter(),
      ...(report === undefined ? [] : ['json']),
      ...(failures === undefined ? [] : [new FailureReporter(failures)]),
    ],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
    // Deadlines are for tests that hang. A busy machine needs many times as long as an idle one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Files of one worker share its modules: to load them anew for each file takes as long as the tests.
    isolate: false,
    // Many tests wait for processes and sockets, so two more than there are processors. The long ones start many processes
    // of their own.
    maxWorkers: availableParallelism() + (isCover ? 2 : 0),
  },
});
