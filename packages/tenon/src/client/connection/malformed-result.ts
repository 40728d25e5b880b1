import { TenonError } from '@tenon/base';
import type { Connection } from './connection.js';

/** Creates the error of a result that does not have the form of its method. */
export function createMalformedResultError(connection: Connection, method: string, issue: string): TenonError {
  return new TenonError('peer/invalid-result', `the response is malformed: ${issue}`, {
    peer: connection.channel.peer,
    method,
  });
}
