import {
  type Clock,
  checkClock,
  checkFunction,
  checkOptional,
  checkRange,
  type OptionChecks,
  type TenonError,
} from '@tenon/base';

/** Options of all stores. */
interface CommonOptions {
  readonly clock?: Clock | undefined;
  readonly maxValueSize?: number | undefined;
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Checks a size, a number of entries or a time of at least 1. With `NaN`, no value would be too large. */
export const checkAmount = checkOptional(checkRange('a number of at least 1', 1));

/** Checks of the options of all stores. */
export const commonChecks: OptionChecks<CommonOptions> = {
  clock: checkOptional(checkClock),
  maxValueSize: checkAmount,
  onError: checkOptional(checkFunction),
};
