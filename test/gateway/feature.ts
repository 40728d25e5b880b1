import { type CallToolResult, TenonError } from 'tenon';
import { vi } from 'vitest';
import type { Combination } from './combination.js';
import type { Pair } from './pair.js';

/** What has to cross a gateway, as the project's goals list it. */
export type Crossing =
  | 'calls'
  | 'results'
  | 'progress'
  | 'cancellation'
  | 'logging'
  | 'completion'
  | 'pagination'
  | 'lists'
  | 'subscriptions'
  | 'list changes'
  | 'roots'
  | 'sampling'
  | 'elicitation'
  | 'questions'
  | 'tasks'
  | 'cache hints'
  | 'headers'
  | 'metadata'
  | 'errors';

/** One thing that must cross. */
export interface Feature {
  readonly crosses: Crossing;
  readonly name: string;
  /** Whether it disturbs others, and so runs alone. */
  readonly alone?: true;
  /** Tries it. What comes of it is compared with what must be seen. */
  readonly probe: (setup: Combination) => Promise<unknown>;
  /** What must be seen where the specification lets it cross: a value, with matchers of the test runner in it. */
  readonly seen: (pair: Pair) => unknown;
}

/** What was refused: by a result that says so, or by an error with a code. */
export interface Refusal {
  readonly refused: string;
  readonly by: number | string;
}

/** The value, or how it was refused. Never rejects. */
export async function getOutcome<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    const value = await work;
    return isFailure(value) ? { refused: getText(value), by: 'result' } : value;
  } catch (error) {
    const { message, code, rpcCode } = TenonError.from(error);
    return { refused: message, by: rpcCode ?? code };
  }
}

/** The text of a tool's result, or how it was refused. */
export const callText = (call: Promise<CallToolResult>): Promise<string | Refusal> =>
  getOutcome(call).then(result => ('refused' in result ? (result as unknown as Refusal) : getText(result)));

export const getText = ({ content }: CallToolResult): string =>
  content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');

const isFailure = (value: unknown): value is CallToolResult =>
  typeof value === 'object' && value !== null && (value as CallToolResult).isError === true;

export async function collectAll<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of list) found.push(each);
  return found;
}

/** Resolves when something that changes by itself is so. */
export async function waitUntil(so: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await vi.waitFor(
    async () => {
      if (!(await so())) throw new Error(`it never came to be: ${what}`);
    },
    { interval: 10 },
  );
}
