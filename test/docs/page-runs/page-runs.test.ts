import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPrograms } from '../../../scripts/optional-programs.mjs';
import { runtimes } from '../../../scripts/runtimes.mjs';
import { isFull, takeCover } from '../../support/extent.js';
import { pages } from '../pages.js';
import { type PackageRegistry, startRegistry } from './package-registry.js';
import { type PageRun, startPageRun } from './page-run.js';
import { beginsWithInstall, readSteps, type Step } from './page-steps.js';

/** Commands that pages mark as not run. */
const COMMANDS_NOT_RUN = 33;
/** Time for one command, such as the installation of a large package, in milliseconds. */
const STEP_TIMEOUT = 60_000;

const runs = pages()
  .filter(({ text }) => beginsWithInstall(text))
  .map(({ path, text }) => ({ path, steps: readSteps(text) }));

const uses = (step: Step, program: string): boolean => step.kind === 'run' && step.line.startsWith(`${program} `);

/** Runtimes that `npm test` installs. */
const RUNTIMES = ['bun', 'deno'] as const;
const missingRuntimes = RUNTIMES.filter(name => !existsSync(runtimes[name]));

function titleOf(step: Step): string {
  if (step.kind === 'write') return `saves ${step.file}`;
  if (step.kind === 'stop') return 'stops its servers';
  const [line] = step.line.split('\n');
  return step.kind === 'run' ? `runs ${line}` : `leaves out ${line}: ${step.reason}`;
}

const folder = mkdtempSync(join(tmpdir(), 'tenon-runtimes-'));
let registry: PackageRegistry;
let environment: Readonly<Record<string, string>>;
let downloads: string;
beforeAll(async () => {
  if (!isFull) return;
  const ask = (name: string) =>
    execFileSync('npm', ['config', 'get', name], { cwd: tmpdir(), encoding: 'utf8' }).trim();
  registry = await startRegistry(ask('registry'));
  // The runtimes for tests, without the programs beside them.
  for (const name of RUNTIMES) if (existsSync(runtimes[name])) symlinkSync(runtimes[name], join(folder, name));
  downloads = join(ask('cache'), '_cacache');
  mkdirSync(downloads, { recursive: true });
  environment = {
    npm_config_registry: registry.url,
    NPM_CONFIG_REGISTRY: registry.url,
    npm_config_replace_registry_host: 'never',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
    NEXT_TELEMETRY_DISABLED: '1',
    WRANGLER_SEND_METRICS: 'false',
  };
});
afterAll(async () => {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

describe('commands on the pages that no test runs', () => {
  it('number as many as expected, each with a reason', () => {
    const notRun = runs.flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'not-run'));
    expect(notRun.length).toBe(COMMANDS_NOT_RUN);
  });
});

/** A page installs packages, and starts servers and runtimes: one takes longer than most suites. */
describe.each(takeCover(runs, () => false))('a reader of $path', ({ steps }) => {
  let pageRun: PageRun;
  /** The rest of a page needs its earlier steps. */
  let isBroken = false;
  beforeAll(async () => {
    pageRun = await startPageRun(environment, [folder], downloads);
  });
  afterAll(() => pageRun?.close());

  const canFollow = !steps.some(step => missingRuntimes.some(name => uses(step, name)));
  for (const step of steps) {
    const canTake = canFollow && (hasPrograms('curl') || !uses(step, 'curl'));
    if (step.kind === 'not-run') it.skip(titleOf(step));
    else
      it.skipIf(!canTake)(titleOf(step), { timeout: STEP_TIMEOUT }, async ({ skip }) => {
        if (isBroken) skip('an earlier step failed');
        isBroken = true;
        await pageRun.take(step);
        isBroken = false;
      });
  }
});
