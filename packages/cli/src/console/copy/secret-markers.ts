import { randomBytes } from 'node:crypto';
import { findSecretStart, isObject, keepTextsIn, redactSecrets } from '@tenon/base';
import type { WordPart } from '@tenon/base/writers';

/** Names the environment variables of a copied text, and finds the places of their values. */
export class SecretMarkers {
  readonly #mark = `variable${randomBytes(8).toString('hex')}x`;
  readonly #names: string[] = [];

  /** Names of all variables, in the order of their first use. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Adds a variable, and returns its name. The prefix keeps names such as `PATH` apart. */
  addVariable(name: string): string {
    const words = name.toUpperCase().match(/[A-Z0-9]+/g) ?? ['SECRET'];
    const variable = `MCP_${words.join('_')}`;
    if (!this.#names.includes(variable)) this.#names.push(variable);
    return variable;
  }

  /** Returns a text that stands for the value of a variable. */
  create(name: string): string {
    return `${this.#mark}${this.#names.indexOf(this.addVariable(name))}x`;
  }

  /** Replaces a text that has a secret. */
  hideText(text: string, name: string): string {
    return redactSecrets(text) === text ? text : this.create(name);
  }

  /** Replaces the arguments of a program that have a secret, or that follow the name of one: `--token x`. */
  hideArguments(args: readonly string[]): string[] {
    return args.map((each, index) => {
      const name = `ARGUMENT_${index + 1}`;
      return findSecretStart(each, args[index - 1]) === undefined ? this.hideText(each, name) : this.create(name);
    });
  }

  /** Replaces each value that its redacted form does not show. */
  hide(value: unknown, redacted: unknown, name: string): unknown {
    if (typeof value === 'string' || typeof value === 'number') return value === redacted ? value : this.create(name);
    if (Array.isArray(value)) {
      const shown: readonly unknown[] = Array.isArray(redacted) ? redacted : [];
      return keepTextsIn(
        value.map((each, index) => this.hide(each, shown[index], name)),
        value,
      );
    }
    if (!isObject(value)) return value;
    // A redacted name is one of a secret, so that its value is hidden too.
    const shown = new Map(isObject(redacted) ? Object.entries(redacted) : []);
    const entries = Object.entries(value).map(([key, each]) => [key, this.hide(each, shown.get(key), key)]);
    return keepTextsIn(Object.fromEntries(entries), value);
  }

  /** Splits a text at the places of variables. */
  split(text: string): WordPart[] {
    return text
      .split(new RegExp(`${this.#mark}(\\d+)x`))
      .map((part, index) => (index % 2 === 0 ? part : { variable: this.#names[Number(part)] ?? '' }))
      .filter(part => part !== '');
  }

  /** Replaces string literals in source code by expressions. */
  replaceLiterals(code: string, write: (variable: string) => string): string {
    const literal = new RegExp(`(["'])${this.#mark}(\\d+)x\\1`, 'g');
    return code.replace(literal, (_, __, index: string) => write(this.#names[Number(index)] ?? ''));
  }
}
