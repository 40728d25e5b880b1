import { DefaultReporter } from 'vitest/node';

/** Number of times that a run without a terminal reports its progress. A terminal shows it all the time. */
const REPORTS = 20;

type Specifications = Parameters<DefaultReporter['onTestRunStart']>[0];
type Module = Parameters<DefaultReporter['onTestModuleEnd']>[0];

/** Reports how many files of tests have ended, where no terminal shows it. */
export class ProgressReporter extends DefaultReporter {
  #count = 0;
  #ended = 0;

  override onTestRunStart(specifications: Specifications): void {
    super.onTestRunStart(specifications);
    this.#count = specifications.length;
    this.#ended = 0;
  }

  override onTestModuleEnd(module: Module): void {
    super.onTestModuleEnd(module);
    this.#ended += 1;
    const isDue = this.#ended % Math.ceil(this.#count / REPORTS) === 0;
    if (!this.isTTY && this.#count > REPORTS && isDue) this.log(`── ${this.#ended} of ${this.#count} files`);
  }
}
