/** The process of an operator: allows the only approval that waits in a store. */
import { createApprovals } from '@tenon/host';
import { sqliteStores } from 'tenon/sqlite';

const stores = await sqliteStores(process.argv[2] as string);
const approvals = createApprovals(stores);
const [approval] = await approvals.listPending();
await approvals.answer(approval?.id ?? '', 'allow', { by: 'Grace' });
await stores.close();
