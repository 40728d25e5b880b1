import type { AppServer, AppServerOptions } from '@tenon/apps/host';
import type { AppCallBody, CallView } from '../api.js';
import { callApi, describeFailure, toServerApi } from '../request.js';

type Result<K extends 'callTool' | 'readResource'> = Awaited<ReturnType<AppServer[K]>>;
type Listed<K extends 'listTools' | 'listResources'> =
  ReturnType<AppServer[K]> extends AsyncIterable<infer T> ? T : never;

/** Lists of a server, as the app's host needs them. */
interface Lists {
  readonly tools: readonly Listed<'listTools'>[];
  readonly resources: readonly Listed<'listResources'>[];
}

/**
 * Creates the connection of an app: each call of it is a call of the console, with its messages and input requests.
 *
 * @param beforeCall Called before a request to the command, so that the message of the app is on the wire before it.
 */
export function createApiServer(server: string, app: number, beforeCall: () => Promise<void>): AppServer {
  const readLists = () => callApi<Lists>('GET', toServerApi(server));
  const run = async <T>(body: AppCallBody, { signal }: AppServerOptions = {}): Promise<T> => {
    await beforeCall();
    signal?.throwIfAborted();
    try {
      const { id } = await callApi<CallView>('POST', `apps/${app}/calls`, body);
      const cancel = () => void callApi('POST', `calls/${id}/cancel`).catch(() => {});
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return await callApi<T>('POST', `apps/${app}/results`, { call: id });
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    } catch (thrown) {
      const { rpcCode, cause } = describeFailure(thrown);
      throw Object.assign(new Error(cause), { rpcCode, summary: cause });
    }
  };
  return {
    async *listTools() {
      yield* (await readLists()).tools;
    },
    async *listResources() {
      yield* (await readLists()).resources;
    },
    callTool: (name, input = {}, options) =>
      run<Result<'callTool'>>({ method: 'tools/call', params: { name, arguments: input } }, options),
    readResource: (uri, options) => run<Result<'readResource'>>({ method: 'resources/read', params: { uri } }, options),
  };
}
