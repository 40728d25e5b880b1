import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mend } from './errata.js';

/** The official JSON Schemas lie beside the project, or where `MCP_SCHEMA_DIR` says. They are no part of it. */
export const schemaFolder =
  process.env.MCP_SCHEMA_DIR ?? fileURLToPath(new URL('../../../shared/schema', import.meta.url));

export const protocolVersions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type ProtocolVersion = (typeof protocolVersions)[number];

export function isProtocolVersion(value: unknown): value is ProtocolVersion {
  return protocolVersions.some(version => version === value);
}

/** Tests that need the schemas are skipped without them: `describe.skipIf(!schemasPresent)`. */
export const schemasPresent = protocolVersions.every(version => existsSync(join(schemaFolder, `${version}.json`)));

/** As much of a JSON Schema as is read here. */
export interface SchemaNode {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  anyOf?: SchemaNode[];
  allOf?: SchemaNode[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: SchemaNode | boolean;
  required?: string[];
}

export interface OfficialSchema {
  readonly definitions: Record<string, SchemaNode>;
  /** Draft 2020-12, or draft 7. */
  readonly is2020: boolean;
  /** What a reference begins with. */
  readonly pointer: '#/$defs/' | '#/definitions/';
}

/** Reads the schema of a protocol version, with its known errors mended. */
export function readSchema(version: ProtocolVersion): OfficialSchema {
  const file: { $schema: string; $defs?: Record<string, SchemaNode>; definitions?: Record<string, SchemaNode> } =
    JSON.parse(readFileSync(join(schemaFolder, `${version}.json`), 'utf8'));
  const is2020 = file.$schema.includes('2020-12');
  const definitions = mend(file.$defs ?? file.definitions ?? {});
  return { definitions, is2020, pointer: file.$defs ? '#/$defs/' : '#/definitions/' };
}
