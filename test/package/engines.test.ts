import { readdirSync, readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { describe, expect, it } from 'vitest';

/** The lowest version of Node that the packages support. */
const FLOOR = '20.19.0';

interface Manifest {
  readonly name?: string;
  readonly optional?: boolean;
  readonly engines?: { readonly node?: string };
}

const readJson = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const runsOnFloor = ({ engines }: Manifest): boolean => satisfies(FLOOR, engines?.node ?? '*');

describe('the lowest version of Node', () => {
  it('runs each package that `npm install` of the checkout installs, so that npm prints no EBADENGINE', () => {
    const packages: Readonly<Record<string, Manifest>> = readJson('package-lock.json').packages;
    const names = Object.keys(packages);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter(name => !runsOnFloor(packages[name] ?? {}))).toEqual([]);
  });

  it('is declared by each published package, but `@tenon/ai`, which has its own', () => {
    const manifests: readonly Manifest[] = readdirSync(new URL('../../packages', import.meta.url)).map(folder =>
      readJson(`packages/${folder}/package.json`),
    );
    const others = manifests.filter(({ engines }) => engines?.node !== '>=20.19');
    expect(others.map(({ name, engines }) => [name, engines?.node])).toEqual([
      ['@tenon/ai', '>=22'],
      ['@tenon/console', undefined],
    ]);
  });
});
