import type { CreateMessageParams } from '../../protocol/input-requests.js';
import { getToolUses } from './content.js';

/** What every provider accepts as the name of a tool. */
const MAX_NAME = 64;
const FITTING = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

export interface ToolNames {
  outer(name: string): string;
  /** A name that was never given out is left as it is. */
  inner(name: string): string;
}

/** Names of the tools of one request as providers accept them, and back: the same request has the same names. */
export function createToolNames({ tools = [], messages }: CreateMessageParams): ToolNames {
  const names = [...tools.map(({ name }) => name), ...messages.flatMap(getToolUses).map(({ name }) => name)];
  const inner = new Map<string, string>();
  const outer = new Map<string, string>();
  const give = (name: string, as: string) => {
    outer.set(name, as);
    inner.set(as, name);
  };
  for (const name of names) if (FITTING.test(name)) give(name, name);
  for (const name of names) {
    if (outer.has(name)) continue;
    const start = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
    let as = start.slice(0, MAX_NAME);
    for (let count = 2; inner.has(as); count += 1) as = `${start.slice(0, MAX_NAME - `_${count}`.length)}_${count}`;
    give(name, as);
  }
  return { outer: name => outer.get(name) ?? name, inner: name => inner.get(name) ?? name };
}
