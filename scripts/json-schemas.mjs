// @ts-check
/** Writes packages/cli/schemas, the JSON Schemas of what commands print with `--json`: `npm run docs:schemas`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import { root } from './process.mjs';

const source = join(root, 'packages/cli/src/schema/json-output.ts');
const folder = join(root, 'packages/cli/schemas');

/** Creates the text of each file by its name. @returns {Record<string, string>} */
export function createSchemas() {
  const generator = createGenerator({
    path: source,
    tsconfig: join(root, 'tsconfig.json'),
    type: '*',
    // The types are checked by `npm run types`.
    skipTypeCheck: true,
    expose: 'none',
    jsDoc: 'extended',
    topRef: false,
  });
  const types = [...readFileSync(source, 'utf8').matchAll(/^export (?:type|interface) (\w+)Output\b/gm)];
  return Object.fromEntries(
    types.map(([, type = '']) => {
      const name = type.replace(/(?<=.)[A-Z]/g, letter => `-${letter}`).toLowerCase();
      const title = name === 'error' ? 'Error of a command with --json' : `Output of tenon ${name} --json`;
      const { $schema, definitions = {}, ...schema } = generator.createSchema(`${type}Output`);
      const named = Object.keys(definitions).length > 0 ? { definitions } : {};
      return [`${name}.json`, `${JSON.stringify({ $schema, title, ...schema, ...named }, undefined, 2)}\n`];
    }),
  );
}

if (process.argv[1] === import.meta.filename) {
  const schemas = createSchemas();
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(schemas)) writeFileSync(join(folder, name), text);
  console.log(`wrote ${Object.keys(schemas).length} schemas to packages/cli/schemas`);
}

/** @param {string} name */
export const readSchema = name => readFileSync(join(folder, name), 'utf8');
