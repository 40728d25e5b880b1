import { isObject, type JsonObject } from '@tenon/base';
import { compareJson } from './compare-json.js';

/**
 * Replaces the texts of a recorded tool result that repeat its structured content, and those of the received one, by
 * their JSON. A value that is ignored in the structured content can then be ignored in the text, too.
 */
export function parseJsonTexts(recorded: unknown, received: unknown): readonly [unknown, unknown] {
  if (!isObject(recorded) || !isObject(received) || recorded.structuredContent === undefined)
    return [recorded, received];
  const [blocks, others] = [recorded.content, received.content];
  if (!Array.isArray(blocks) || !Array.isArray(others)) return [recorded, received];
  const isCopy = blocks.map(block => {
    const value = parseText(block);
    return value !== undefined && compareJson(value, recorded.structuredContent).length === 0;
  });
  const parse = (all: readonly unknown[]) => all.map((block, index) => (isCopy[index] ? withParsedText(block) : block));
  return [
    { ...recorded, content: parse(blocks) },
    { ...received, content: parse(others) },
  ];
}

function withParsedText(block: unknown): unknown {
  const value = parseText(block);
  return value === undefined ? block : { ...(block as JsonObject), text: value };
}

/** Returns the JSON in the text of a content block. `undefined` if there is none. */
function parseText(block: unknown): unknown {
  if (!isObject(block) || typeof block.text !== 'string') return undefined;
  try {
    return JSON.parse(block.text);
  } catch {
    return undefined;
  }
}
