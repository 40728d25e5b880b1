import { isObject, isTextList, rpcError } from '@tenon/base';
import type { InputResponse } from '@tenon/console/api';
import type { ClientOptions, ElicitResult } from 'tenon';
import { type InputInbox, INPUT_TIMEOUT as timeout } from './input-inbox.js';

type Handlers = Required<Pick<ClientOptions, 'elicit' | 'elicitUrl' | 'sample' | 'roots'>>;

/** Code of the error for a sampling request that the user refuses. */
const USER_REJECTED = -1;

/**
 * Creates the handlers that pass input requests of a server to the inbox.
 *
 * @param takeCall Returns the call for which the server sends a request of this method.
 */
export function createInputHandlers(
  inbox: InputInbox,
  server: string,
  takeCall: (method: string) => number | undefined,
): Handlers {
  return {
    async elicit(form, { signal }) {
      const call = takeCall('elicitation/create');
      const { message, requestedSchema } = form;
      return toElicitResult(
        await inbox.ask({ server, call, kind: 'form', message, schema: { ...requestedSchema }, signal, timeout }),
      );
    },
    async elicitUrl({ message, url }, { signal }) {
      const call = takeCall('elicitation/create');
      const { action } = await inbox.ask({ server, call, kind: 'url', message, url, signal, timeout });
      return { action };
    },
    async sample(request, { signal }) {
      const call = takeCall('sampling/createMessage');
      const message = 'The server asks for a message of a model. Write it yourself.';
      const response = await inbox.ask({
        server,
        call,
        kind: 'sampling',
        message,
        params: { ...request },
        signal,
        timeout,
      });
      if (response.action !== 'accept') throw rpcError(USER_REJECTED, 'User rejected sampling request');
      return {
        role: 'assistant',
        model: readText(response, 'model') || 'person',
        stopReason: 'endTurn',
        content: { type: 'text', text: readText(response, 'text') },
      };
    },
    async roots() {
      const call = takeCall('roots/list');
      const message = 'The server asks for the folders that it may use.';
      const { action, content } = await inbox.ask({ server, call, kind: 'roots', message, timeout });
      const roots = action === 'accept' && Array.isArray(content?.roots) ? content.roots : [];
      return roots.flatMap(root => (isObject(root) && typeof root.uri === 'string' ? [{ uri: root.uri }] : []));
    },
  };
}

const readText = ({ content }: InputResponse, name: string): string => {
  const value = content?.[name];
  return typeof value === 'string' ? value : '';
};

function toElicitResult({ action, content }: InputResponse): ElicitResult {
  if (action !== 'accept') return { action };
  const entries = Object.entries(content ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || isTextList(value)
      ? [[name, value] as const]
      : [],
  );
  return { action, content: Object.fromEntries(entries) };
}
