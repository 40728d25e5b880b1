import { writeJson } from '@tenon/base/writers';
import type { CallToolResult, ContentBlock, ResourceContents } from 'tenon';
import type { Screen } from '../screen.js';
import type { SavedFile } from './save-content.js';

const MAX_SHOWN = 1_000_000;

/** Prints a text of a server, made safe to read if the output is a terminal. A pipe gets the text unchanged. */
export async function printServerText(screen: Screen, text: string): Promise<void> {
  // Loading the sanitizer takes time, and plain text does not need it.
  if (!screen.isTerminal || !/[^\t\n\x20-\x7e]/.test(text)) return screen.printData(text);
  const { sanitizeText } = await import('@tenon/host');
  screen.print(sanitizeText(text, { lines: true, max: MAX_SHOWN }));
}

/** Prints the bytes of a file. A terminal gets a line about them instead, because their sequences would control it. */
export function printServerBytes(screen: Screen, bytes: Uint8Array, uri: string): void {
  if (screen.isTerminal) screen.print(`[${uri}: ${bytes.length} bytes: write them into a file with > FILE]`);
  else screen.printBytes(bytes);
}

/** Formats the result of a tool for people: its texts, and a line for each block of another type. */
export function formatToolResult({ content, structuredContent }: CallToolResult): string {
  const texts = content.map(formatBlock);
  if (structuredContent === undefined) return texts.join('\n');
  const structured = writeJson(structuredContent, 2);
  // Tools that return structured content repeat it as text for older clients.
  return [...texts.filter(text => !isSameJson(text, structuredContent)), structured].join('\n');
}

/** Formats one content block. */
export function formatBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${formatSize(block.data)}: save it with --save FOLDER]`;
    case 'resource_link':
      return `[resource ${block.uri}${block.name ? ` ${block.name}` : ''}]`;
    case 'resource':
      return formatContents(block.resource);
    default:
      return writeJson(block);
  }
}

/** Formats the contents of a resource. */
export function formatContents(contents: ResourceContents): string {
  if ('text' in contents) return contents.text;
  const type = contents.mimeType ?? 'application/octet-stream';
  return `[${contents.uri}: ${type}, ${formatSize(contents.blob)}: save it with --save FOLDER]`;
}

/** Formats the files that were written. */
export function formatSaved(files: readonly SavedFile[]): string {
  return files.map(({ path, bytes }) => `saved ${path} (${bytes} bytes)`).join('\n');
}

function formatSize(base64: string): string {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return `${Math.max(0, Math.floor((base64.length * 3) / 4) - padding)} bytes`;
}

function isSameJson(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
