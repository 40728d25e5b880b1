import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter } from 'vitest/node';

type RunEnd = Required<Reporter>['onTestRunEnd'];

interface ReportedError {
  readonly name?: string | undefined;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly diff?: string | undefined;
  readonly cause?: unknown;
}

const MAX_DIFF_LINES = 40;
/** Lines of the message of an error and of its stack, which can contain the message. */
const MAX_LINES = 25;
const MAX_CAUSES = 5;
const FOREIGN_FRAME = /\n +at .*\/node_modules\/.*/g;

/** Writes a file with the failures of a run, as an array of texts, for `npm test` to print at the end. */
export class FailureReporter implements Reporter {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  onTestRunEnd(...[modules, unhandledErrors]: Parameters<RunEnd>): void {
    const failures: string[] = [];
    const add = (title: string, errors: readonly ReportedError[] = []) => {
      if (errors.length > 0) failures.push([title, ...errors.map(error => formatError(error))].join('\n'));
    };
    for (const module of modules) {
      add(module.relativeModuleId, module.errors());
      for (const suite of module.children.allSuites())
        add(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors());
      for (const test of module.children.allTests('failed'))
        add(`${module.relativeModuleId} > ${test.fullName}`, test.result().errors);
    }
    add('outside of all tests', unhandledErrors);
    writeFileSync(this.#file, JSON.stringify(failures));
  }
}

/** Describes an error with its stack, the difference of the compared values, and its causes. */
export function formatError(error: ReportedError, causes = 0): string {
  const { name = 'Error', message, stack = '', diff, cause } = error;
  const place = (stack.includes(message) ? stack : `${name}: ${message}`).replace(FOREIGN_FRAME, '');
  const lines = [shorten(place, MAX_LINES)];
  if (diff) lines.push(shorten(stripVTControlCharacters(diff), MAX_DIFF_LINES));
  if (isError(cause) && causes < MAX_CAUSES) lines.push(`Caused by: ${formatError(cause, causes + 1)}`);
  return lines.join('\n');
}

/** The first and the last lines of a text. */
function shorten(text: string, maxLines: number): string {
  const lines = text.trimEnd().split('\n');
  const omitted = lines.length - maxLines;
  if (omitted <= 0) return lines.join('\n');
  const head = Math.ceil(maxLines / 2);
  return [...lines.slice(0, head), `… ${omitted} lines`, ...lines.slice(head + omitted)].join('\n');
}

function isError(value: unknown): value is ReportedError {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}
