import { INTERNAL_ERROR, TenonError } from '@tenon/base';
import { createFailure, type Id, type JsonRpcFailure, toRefusal } from 'tenon/testing-internals';

/** Converts the error of a forwarded request to its response. */
export function toForwardFailure(error: unknown, id: Id): JsonRpcFailure {
  const { message } = TenonError.from(error);
  return toRefusal(error, id) ?? createFailure(id, { code: INTERNAL_ERROR, message });
}
