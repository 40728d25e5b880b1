import { describeMissingPrograms } from '../../scripts/optional-programs.mjs';
import { schemaFolder, schemasPresent } from './schema-file.js';

/** Set-up of a whole run: the function that it returns prints once, at the end, why tests were skipped. */
export function setup(): () => void {
  const reasons = [
    describeMissingPrograms(),
    schemasPresent
      ? undefined
      : `The official schemas are not in ${schemaFolder}. Tests that need them are skipped. Set MCP_SCHEMA_DIR.`,
  ];
  return () => {
    for (const reason of reasons) if (reason !== undefined) console.log(`SKIPPED: ${reason}`);
  };
}
