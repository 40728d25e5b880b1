import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export const REGIONS = ['eu', 'us', 'asia'] as const;
export type Region = (typeof REGIONS)[number];

/** The machines that applications run on. They are pretended: what happens to them is a line in a file. */
export class Fleet {
  readonly #file: string;
  readonly #minute: number;

  /** `minute`: how many milliseconds a minute of work takes. */
  constructor(file: string, minute: number) {
    this.#file = file;
    this.#minute = minute;
  }

  async build(app: string, version: string, signal: AbortSignal): Promise<{ image: string; changes: string[] }> {
    await this.#work(1, signal);
    this.#note(`built ${app} ${version}`);
    return { image: `${app}:${version}`, changes: ['Faster search', 'Carts survive a restart', 'Fewer cookies'] };
  }

  /** A version with a 13 in it falls ill everywhere but in the first region. */
  async rollOut(image: string, region: Region, signal: AbortSignal): Promise<{ healthy: boolean }> {
    await this.#work(2, signal);
    this.#note(`rolled out ${image} ${region}`);
    return { healthy: !image.includes('13') || region === REGIONS[0] };
  }

  async rollBack(app: string, region: Region): Promise<void> {
    await this.#work(1);
    this.#note(`rolled back ${app} ${region}`);
  }

  announce(image: string, notes: string): void {
    this.#note(`announced ${image}: ${notes.split('\n').join(' ')}`);
  }

  /** Everything that was ever done. */
  get history(): string[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trim().split('\n') : [];
  }

  async #work(minutes: number, signal?: AbortSignal): Promise<void> {
    await pause(minutes * this.#minute, undefined, signal ? { signal } : {});
  }

  #note(line: string): void {
    appendFileSync(this.#file, `${line}\n`);
  }
}
