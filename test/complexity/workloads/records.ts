import { createApprovals, createAudit } from '@tenon/host';
import { createRecorder } from '@tenon/testing';
import { memoryStores } from 'tenon';
import { formatName, pickMiddle, SIZES, type Workloads } from '../workload.js';

/** Work whose cost does not depend on the number of earlier audit lines and recorded messages. */
export const recordWorkloads: Workloads = {
  'a line of the audit log after N others': {
    sizes: SIZES,
    async prepare(size) {
      // The number of a line has the same length for all sizes.
      const audit = await createAudit({ async append() {}, replica: 'one' });
      const write = () => audit.write({ action: 'called', server: 'notes', kind: 'tool', name: 'add' });
      for (let line = 0; line < size; line++) await write();
      return { run: write, close() {} };
    },
  },
  'a message of a recording after N others': {
    sizes: SIZES,
    async prepare(size) {
      const session = createRecorder({ server: 'notes', write() {} }).openSession();
      const record = async () => {
        session.record('send', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add' } });
        session.record('recv', { jsonrpc: '2.0', id: 1, result: { content: [] } });
      };
      for (let message = 0; message < size; message++) await record();
      return { run: record, close: () => session.close() };
    },
  },
};

/** Work with a binary search among the approvals of all users. */
export const approvalWorkloads: Workloads = {
  'an approval that was stored, beside N of other users': {
    sizes: SIZES,
    async prepare(size) {
      const approvals = createApprovals({ ...memoryStores(), approve: () => 'always' });
      const request = (user: number) =>
        approvals.request({
          kind: 'tool',
          server: 'notes',
          name: 'add',
          arguments: { text: 'hello' },
          principal: formatName('user', user),
          trusted: true,
        });
      for (let user = 0; user < size; user++) await request(user);
      return { run: () => request(pickMiddle(size)), close() {} };
    },
  },
};
