import type { JsonObject } from '../../packages/base/src/json/json-object.js';

/** What was seen of a call from outside, by the branch of the handler that it came from: branches may interleave. */
export class Record {
  readonly #questions = new Map<string, string[]>();
  readonly #effects = new Map<string, Map<number, string[]>>();

  answered({ message }: JsonObject): void {
    const [branch = ''] = (message as string).split('|');
    this.#questions.set(branch, [...(this.#questions.get(branch) ?? []), message as string]);
  }

  effect(branch: string, n: number, what: string): void {
    const ofBranch = this.#effects.get(branch) ?? new Map<number, string[]>();
    this.#effects.set(branch, ofBranch.set(n, [...(ofBranch.get(n) ?? []), what]));
  }

  /** How often the step had its effect that did so most often. */
  get most(): number {
    const all = [...this.#effects.values()].flatMap(ofBranch => [...ofBranch.values()]);
    return Math.max(0, ...all.map(({ length }) => length));
  }

  /** The same for the same call, whichever way it went; a step that was cut off and done again counts once. */
  get seen(): unknown {
    const effects = [...this.#effects].map(([branch, steps]) => [branch, [...steps.values()].map(last => last.at(-1))]);
    return { questions: sorted(this.#questions), effects: sorted(effects as [string, unknown][]) };
  }
}

function sorted(entries: Iterable<[string, unknown]>): unknown {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
