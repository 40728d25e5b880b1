import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { getImports, readSources } from './source.js';

/** Names of the packages that a file of the library imports, with those whose types it names. */
it('imports no package of OpenTelemetry in any file of the library [otel.no-dep]', () => {
  const sources = readSources('tenon');
  expect(sources.map(({ path }) => path)).toEqual(expect.arrayContaining(['index.node.ts', 'telemetry.ts']));
  const imports = sources.flatMap(source => getImports(source).map(({ target }) => `${source.path} ${target}`));
  expect(imports.filter(each => each.includes('opentelemetry/'))).toEqual([]);
});

it('depends on no package of OpenTelemetry [otel.no-dep]', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../packages/tenon/package.json', import.meta.url), 'utf8'));
  const kinds = ['dependencies', 'peerDependencies', 'optionalDependencies'];
  const names = kinds.flatMap(kind => Object.keys(manifest[kind] ?? {}));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter(name => name.includes('opentelemetry'))).toEqual([]);
});
