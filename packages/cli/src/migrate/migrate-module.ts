import type { Compiler } from './compiler.js';
import type { MigrationFinding } from './finding.js';
import { rewriteNotifications } from './rules/changes.js';
import { rewriteConstants } from './rules/constants.js';
import { rewriteContexts } from './rules/contexts.js';
import { rewriteErrors } from './rules/errors.js';
import { rewriteFactories } from './rules/factories.js';
import { rewriteImports } from './rules/imports.js';
import { findRegistrations, rewriteRegistration } from './rules/registrations.js';
import { rewriteRequestHandlers } from './rules/request-handlers.js';
import { reportResults } from './rules/results.js';
import { rewriteServers } from './rules/servers.js';
import { rewriteHttp, rewriteStdio } from './rules/transports.js';
import { rewriteZod } from './rules/zod.js';
import { SourceModule } from './source-module.js';

/** A migrated source file. */
export interface MigratedModule {
  /** Text of the file. It is the same as before if nothing was changed. */
  readonly text: string;
  /** Places that the changes leave or change in their behaviour, in the order of their lines. */
  readonly findings: readonly MigrationFinding[];
}

/** Changes one source file. Inner rules come first, because outer ones move the text of handlers. */
export function migrateModule(
  compiler: Compiler,
  file: string,
  text: string,
  { upgradesZod = false }: { readonly upgradesZod?: boolean } = {},
): MigratedModule {
  const module = new SourceModule(compiler, file, text);
  const registrations = findRegistrations(module);
  if (upgradesZod) rewriteZod(module);
  rewriteConstants(module);
  rewriteErrors(module, registrations);
  rewriteContexts(module, registrations);
  rewriteNotifications(module);
  for (const registration of registrations) rewriteRegistration(module, registration);
  if (!rewriteRequestHandlers(module)) reportResults(module);
  rewriteServers(module);
  rewriteFactories(module);
  rewriteStdio(module);
  rewriteHttp(module);
  rewriteImports(module);
  const findings = module.findings.toSorted((a, b) => a.line - b.line);
  return { text: module.edits.isEmpty ? text : module.edits.apply(text), findings };
}
