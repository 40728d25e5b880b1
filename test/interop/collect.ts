/** Everything that an iterable gives. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The text of a tool's answer. */
export function getText(result: unknown): string {
  const { content } = result as { content: readonly { type: string; text?: string }[] };
  return content.flatMap(block => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
}
