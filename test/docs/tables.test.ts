import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_HOST_OPTIONS } from '../../packages/host/src/host-options.js';
import { DEFAULT_OUTPUT_LIMITS } from '../../packages/host/src/proxy/output/output-limits.js';
import * as protocol from '../../packages/tenon/src/protocol/error-codes.js';
import { isMethod } from '../../packages/tenon/src/protocol/methods.js';
import { dialects } from '../../packages/tenon/src/protocol/versions/index.js';
import { DEFAULT_LIMITS } from '../../packages/tenon/src/transports/http/server/options.js';
import { root } from './pages.js';

const packages = join(root, 'packages');
const page = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');

/** The first two cells of each row whose first is code. */
const rows = (text: string) =>
  [...text.matchAll(/^\| `([^`|]+)` \| ([^|]*) \|/gm)].map(([, first = '', second = '']) => [first, second] as const);

function modules(): { path: string; text: string }[] {
  return readdirSync(packages).flatMap(name => {
    const folder = join(packages, name, 'src');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts') && !/\.(test|test-d|d)\.ts$|fixtures/.test(path))
      .map(path => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
  });
}

/** What only looks like a code: a name of a method in the field, what a rule is to look like, a key in a store. */
const noCodes: ReadonlySet<string> = new Set(['sampling/complete', 'server/tool', 'policy/asked']);

describe('the table of error codes', () => {
  const all = modules();
  const areas = new Set(
    all.flatMap(({ text }) =>
      [...text.matchAll(/(?:TenonError(?:\.from)?\((?:\w+,)?|code =|CODE =)\s*'([a-z]+)\//g)].map(([, area]) => area),
    ),
  );
  const literals = all.flatMap(({ text }) => [...text.matchAll(/'(([a-z]+)\/[a-z-]*[a-z])'/g)]);
  const codes = new Set(
    literals
      .filter(([, code = '', area]) => areas.has(area) && !isMethod(code) && !noCodes.has(code))
      .map(([, code = '']) => code),
  );
  const listed = rows(page('reference/errors.md'))
    .map(([code]) => code)
    .filter(code => code.includes('/'));

  it('contains every code of the source', () => {
    expect([...codes].filter(code => !listed.includes(code))).toEqual([]);
  });

  it('contains no other code, and none twice', () => {
    expect(listed.filter(code => !codes.has(code))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('contains a cause and a fix for each code', () => {
    const cells = [...page('reference/errors.md').matchAll(/^\| `[a-z]+\/[a-z-]+` \| ([^|]*) \| ([^|]*) \|$/gm)];
    expect(cells).toHaveLength(listed.length);
    for (const [row, cause = '', remedy = ''] of cells) {
      expect(cause, row).toMatch(/^[A-Z*`].*\.$/);
      expect(remedy, row).toMatch(/^[A-Z`].*\.$/);
    }
  });

  it('contains the codes that the protocol adds', () => {
    const numbers = [...page('reference/errors.md').matchAll(/^\| (-\d+) \|/gm)].map(([, code]) => Number(code));
    for (const code of Object.values(protocol)) expect(numbers).toContain(code);
  });
});

describe('the table of limits', () => {
  it('contains each limit with its default', () => {
    const listed = Object.fromEntries(
      rows(page('deploy/http.md')).map(([name, value]) => [name, Number(value.replaceAll(',', ''))]),
    );
    for (const [name, value] of Object.entries(DEFAULT_LIMITS)) expect(listed, name).toHaveProperty(name, value);
  });

  it('contains the limits of a host', () => {
    const listed = Object.fromEntries(
      [...page('hosts/host.md').matchAll(/^\| `(\w+)` \| ([\d.,]+) \|/gm)].map(([, name = '', value = '']) => [
        name,
        Number(value.replaceAll(',', '')),
      ]),
    );
    const defaults = Object.entries({ ...DEFAULT_HOST_OPTIONS, ...DEFAULT_OUTPUT_LIMITS }).filter(
      ([, value]) => Number(value) > 0,
    );
    for (const [name, value] of defaults) expect(listed, name).toHaveProperty(name, value);
  });
});

describe('the page of the architecture', () => {
  const [, tree = ''] = /^```\n([\s\S]*?)^```/m.exec(page('architecture.md')) ?? [];

  it.each(['base', 'tenon'])('draws the folders of packages/%s', name => {
    const folders = readdirSync(new URL(`../../packages/${name}/src`, import.meta.url), { withFileTypes: true });
    const [, drawn = ''] = new RegExp(`^packages/${name}/src/.*\\n((?: {2}.*\\n)+)`, 'm').exec(tree) ?? [];
    expect([...drawn.matchAll(/^ {2}(\w[\w-]*)\/ /gm)].map(([, folder]) => folder).sort()).toEqual(
      folders.flatMap(entry => (entry.isDirectory() ? [entry.name] : [])).sort(),
    );
  });
});

describe('the page of the protocol versions', () => {
  it('contains a column for each version', () => {
    for (const { protocolVersion } of dialects)
      expect(page('reference/versions.md')).toMatch(new RegExp(`^\\|.*\\| ${protocolVersion} \\|`, 'm'));
  });
});

describe('the page of the dependencies', () => {
  const folders = ['.', ...readdirSync(packages).map(name => `packages/${name}`)];
  const manifests = folders.map(folder => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')));

  it('names each dependency', () => {
    const text = page('dependencies.md');
    const names = manifests.flatMap(({ dependencies, devDependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }),
    );
    expect(names.filter(name => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
