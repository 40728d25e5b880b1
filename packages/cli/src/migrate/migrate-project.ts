import { createUsageError } from '../usage-error.js';
import type { Compiler } from './compiler.js';
import type { MigrationFinding } from './finding.js';
import { migrateModule } from './migrate-module.js';
import { migratePackageFile, usesZod3 } from './package-file.js';
import { readProjectSources } from './project-sources.js';

/** A file that a migration changes. */
export interface ChangedFile {
  /** Path relative to the project. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Changes of a project. Nothing is written yet. */
export interface ProjectMigration {
  readonly changes: readonly ChangedFile[];
  readonly findings: readonly MigrationFinding[];
}

const IMPORTS_SDK = /['"]@modelcontextprotocol\/(?:sdk|server|core|node|express|hono|fastify)(?:\/[^'"]*)?['"]/;

/**
 * Computes the changes of a project.
 *
 * @param packageText Text of its `package.json`.
 */
export async function migrateProject(
  compiler: Compiler,
  project: string,
  packageText: string,
): Promise<ProjectMigration> {
  const upgradesZod = usesZod3(packageText);
  const { sources, bundles, undecodable, skippedFolders } = await readProjectSources(project);
  if (sources.length === 0 && bundles.length === 0 && undecodable.length === 0)
    throw createUsageError(
      'no file of the project imports the official SDK',
      'pass the folder of a project that imports @modelcontextprotocol/sdk or @modelcontextprotocol/server',
    );
  const findings: MigrationFinding[] = [
    ...skippedFolders.map(file => createSkipped(file, 'compiled code', 'compile the migrated sources again')),
    ...bundles.map(file => createSkipped(file, 'a bundle with the SDK', 'bundle the migrated sources again')),
    ...undecodable.map(file => createSkipped(file, 'a file that is not UTF-8', 'save it as UTF-8, and run this again')),
  ];
  const migrated = sources.map(({ file, text }) => {
    const module = migrateModule(compiler, file, text, { upgradesZod });
    findings.push(...module.findings);
    return { file, before: text, after: module.text };
  });
  const changes = migrated.filter(({ before, after }) => before !== after);
  if (sources.length > 0) {
    const after = migratePackageFile(packageText, {
      keepsSdk: undecodable.length > 0 || migrated.some(each => IMPORTS_SDK.test(each.after)),
      usesZod: changes.some(each => /\bfrom\s*['"]zod|require\(['"]zod/.test(each.after)),
    });
    if (after !== packageText) changes.push({ file: 'package.json', before: packageText, after });
  }
  return { changes, findings };
}

function createSkipped(file: string, what: string, fix: string): MigrationFinding {
  return { file, line: 1, kind: 'left', what, fix };
}
