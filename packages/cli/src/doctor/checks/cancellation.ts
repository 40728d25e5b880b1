import { TenonError } from 'tenon';
import type { Check } from '../check.js';
import { getSpecificationPage } from '../finding.js';

/** Cancels a list in flight, and checks that the connection still works. No tool is called. */
export const cancellationCheck: Check = {
  id: 'cancellation',
  title: 'Cancellation',
  requires: 'connection',
  async run({ connection }, { ok, problem }) {
    if (!connection?.client.server.capabilities.tools || connection.failures.some(({ list }) => list === 'tools'))
      return [];
    const { client } = connection;
    const controller = new AbortController();
    const cancelled = client.call('tools/list', {}, { signal: controller.signal }).catch(() => undefined);
    controller.abort();
    await cancelled;
    try {
      await client.call('tools/list');
      return [ok('survives', 'the connection works after a cancelled request')];
    } catch (thrown) {
      const error = TenonError.from(thrown);
      if (error.rpcCode !== undefined && error.status === undefined)
        return [ok('survives', 'the connection works after a cancelled request')];
      return [
        problem('broken', 'the connection is broken after a cancelled request', {
          seen: error.message,
          cause: 'users and hosts cancel calls often',
          fix: 'ignore notifications/cancelled for requests that are unknown or complete',
          spec: getSpecificationPage('basic/utilities/cancellation'),
        }),
      ];
    }
  },
};
