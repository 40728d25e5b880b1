import { TenonError } from '@tenon/base';

/** Creates the error of a schema that cannot validate any value. */
export function createBrokenSchemaError(reason: string): TenonError {
  return new TenonError('schema/broken', `invalid JSON Schema: ${reason}`, {
    hint: 'correct the schema, which is read as JSON Schema 2020-12 unless "$schema" names another dialect',
  });
}

/** Creates the error of a check that ended at the limit of its work. The value counts as refused. */
export function createWorkLimitError(reason = 'the validation takes too many steps'): TenonError {
  return new TenonError('schema/work-limit', reason);
}

/** Tells if a check ended at the limit of its work, or of the stack. */
export function isWorkLimitError(error: unknown): boolean {
  return error instanceof RangeError || (TenonError.is(error) && error.code === 'schema/work-limit');
}

/** Creates the error of a value that a schema cannot validate. */
export function createCannotValidateError(reason: string): TenonError {
  return new TenonError('schema/cannot-validate', reason);
}
