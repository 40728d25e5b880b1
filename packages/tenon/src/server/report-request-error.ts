import { type TenonError, toReportedError } from '@tenon/base';
import type { CallerInfo } from '../handler/context.js';
import { describeClient } from '../protocol/describe-client.js';
import type { Dialect } from '../protocol/versions/dialect.js';

/** Request of a client that failed. */
interface RequestSubject {
  readonly method: string;
  readonly caller: Pick<CallerInfo, 'client' | 'address'>;
  readonly dialect: Dialect | undefined;
}

/** Names the client, its protocol version and the method in an error about a request. An error that names others keeps them. */
export function nameRequest(error: unknown, code: string, { method, caller, dialect }: RequestSubject): TenonError {
  return toReportedError(error, code, { peer: describeClient(caller, dialect?.protocolVersion), method });
}

/** Reports an error about a request that the client does not get. */
export function reportRequestError(
  { onError }: { readonly onError: (error: TenonError) => void },
  error: unknown,
  code: string,
  subject: RequestSubject,
): void {
  onError(nameRequest(error, code, subject));
}
