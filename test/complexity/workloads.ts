import type { Workloads } from './workload.js';
import { clientWorkloads, messageWorkloads } from './workloads/clients.js';
import { gatewayListWorkloads, gatewayWorkloads } from './workloads/gateway.js';
import { formWorkloads, inputRequestWorkloads } from './workloads/input-requests.js';
import { offerWorkloads, listWorkloads as serverListWorkloads } from './workloads/offers.js';
import { notificationWorkloads, peerWorkloads } from './workloads/peers.js';
import { approvalWorkloads, recordWorkloads } from './workloads/records.js';
import { stepWorkloads, logarithmicWorkloads as taskLogarithmicWorkloads, taskWorkloads } from './workloads/tasks.js';
import { tokenWorkloads } from './workloads/tokens.js';

/** Work that costs the same for each size. */
export const constantWorkloads: Workloads = {
  ...offerWorkloads,
  ...peerWorkloads,
  ...clientWorkloads,
  ...gatewayWorkloads,
  ...taskWorkloads,
  ...tokenWorkloads,
  ...recordWorkloads,
};

/** Lists that are sent again, and cost the same for each length. */
export const listWorkloads: Workloads = { ...serverListWorkloads, ...gatewayListWorkloads };

export const logarithmicWorkloads: Workloads = {
  ...taskLogarithmicWorkloads,
  ...inputRequestWorkloads,
  ...approvalWorkloads,
};

/** Work that may cost in proportion to its size. */
export const linearWorkloads: Workloads = {
  ...notificationWorkloads,
  ...stepWorkloads,
  ...messageWorkloads,
  ...formWorkloads,
};

/** Names of what is measured in bytes while it is idle. */
export const IDLE_SESSION = 'an idle session';
export const IDLE_STREAM = 'an idle stream';
