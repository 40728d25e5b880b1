import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readJson, root } from '../../scripts/process.mjs';
import { findReleaseErrors, listPublishedPackages } from '../../scripts/release-errors.mjs';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly 'runs-on': string;
  readonly 'timeout-minutes': number;
  readonly permissions?: Record<string, string>;
  readonly strategy?: { readonly matrix: Record<string, readonly unknown[]> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const packages = listPublishedPackages();

describe('a release', () => {
  it('has one version, exact versions between packages, provenance and a section of the changelog', () => {
    expect(findReleaseErrors(packages, `v${packages[0]?.version}`)).toEqual([]);
  });

  it('publishes each package after those that it depends on', () => {
    const names = packages.map(({ name }) => name);
    for (const { name, dependencies = {} } of packages)
      for (const dependency of Object.keys(dependencies).filter(each => names.includes(each)))
        expect(names.indexOf(dependency), `${dependency} before ${name}`).toBeLessThan(names.indexOf(name));
  });

  it('refuses a tag with another version', () => {
    expect(findReleaseErrors(packages, 'v9.9.9')).toEqual([expect.stringContaining('got v9.9.9')]);
  });

  it('refuses a package with another version, a range of versions, or without provenance', () => {
    const changed = packages.map(entry =>
      entry.name === '@tenon/cli'
        ? { ...entry, version: '0.0.9', dependencies: { tenon: '^0.1.0' }, publishConfig: { access: 'public' } }
        : entry,
    );
    expect(findReleaseErrors(changed)).toEqual([
      expect.stringContaining('@tenon/cli: version differs'),
      expect.stringContaining('@tenon/cli: version of tenon is not exact'),
      expect.stringContaining('@tenon/cli: publishConfig is incomplete'),
    ]);
  });
});

describe.each(['ci.yml', 'release.yml'])('the workflow %s', name => {
  const text = readFileSync(join(root, '.github/workflows', name), 'utf8');
  const workflow: Workflow = parse(text);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap(job => job.steps);

  it('pins each action to a commit, with its version beside it', () => {
    const lines = text.split('\n').filter(line => line.includes('uses:'));
    expect(lines).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
    for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('runs scripts that exist', () => {
    const { scripts } = readJson(join(root, 'package.json'));
    const commands = steps.map(({ run = '' }) => run).join('\n');
    const called = [...commands.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script);
    expect(called.filter(script => !(script in scripts))).toEqual([]);
    const files = [...commands.matchAll(/node (\S+\.mjs)/g)].map(([, path = '']) => path);
    expect(files.filter(path => !existsSync(join(root, path)))).toEqual([]);
  });

  it('may only read, except for the signature of a release', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const more = jobs
      .flatMap(({ permissions = {} }) => Object.entries(permissions))
      .filter(([, right]) => right === 'write');
    expect(more).toEqual(name === 'release.yml' ? [['id-token', 'write']] : []);
  });

  it('limits the time of each job', () => {
    for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(120);
  });
});

describe('continuous integration', () => {
  const { jobs }: Workflow = parse(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8'));

  it('tests three systems with three versions of Node', () => {
    expect(jobs.test?.strategy?.matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [20, 22, 24],
    });
    expect(jobs.test?.steps.map(({ run }) => run)).toEqual(expect.arrayContaining(['npm ci', 'npm test']));
  });

  it('packs and installs all packages', () => {
    expect(jobs.packages?.steps.map(({ run }) => run)).toContain('npm run release -- --dry-run');
  });
});
