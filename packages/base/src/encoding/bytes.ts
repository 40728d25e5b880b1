export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

export const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text);
