import { writeJson } from '@tenon/base/writers';
import type { ToolView } from '@tenon/console/api';
import type { ListedTool, ServerListing } from '../tools/read-listing.js';
import { sliceText } from './json-part.js';

/** Maximum size of a schema that the page gets, in characters of JSON. A larger one would stop the page. */
export const MAX_SCHEMA = 200_000;
/** Maximum length of a description that the page gets. */
const MAX_DESCRIPTION = 20_000;
/** Maximum length of a signature that the page gets. */
const MAX_SIGNATURE = 2000;

/** Returns the reason for a form that is not shown. */
export const describeLongSchema = (size: number): string =>
  `The form is not shown: its schema has ${size} characters, of at most ${MAX_SCHEMA}.`;

/** Returns the lists of a server for the page, without schemas that are too large for it. */
export const cutListing = (listing: ServerListing): ServerListing => ({
  ...listing,
  tools: listing.tools.map(cutTool),
});

function cutTool({
  inputSchema,
  outputSchema,
  description,
  signature,
  ...tool
}: ListedTool): ListedTool & Pick<ToolView, 'schemaIssue'> {
  const size = writeJson(inputSchema).length;
  const isLong = size > MAX_SCHEMA;
  return {
    ...tool,
    ...(description === undefined ? {} : { description: sliceText(description, 0, MAX_DESCRIPTION) }),
    signature: sliceText(signature, 0, MAX_SIGNATURE),
    inputSchema: isLong ? { type: 'object' } : inputSchema,
    ...(isLong ? { schemaIssue: describeLongSchema(size) } : {}),
    ...(outputSchema === undefined || writeJson(outputSchema).length > MAX_SCHEMA ? {} : { outputSchema }),
  };
}
