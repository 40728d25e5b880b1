import type { Workloads } from './workload.js';
import { clientWorkloads, messageWorkloads } from './workloads/clients.js';
import { gatewayListWorkloads, gatewayWorkloads } from './workloads/gateway.js';
import { offerWorkloads, listWorkloads as serverListWorkloads } from './workloads/offers.js';
import { notificationWorkloads, peerWorkloads } from './workloads/peers.js';
import { formWorkloads, questionWorkloads } from './workloads/questions.js';
import { stepWorkloads, halvedWorkloads as taskHalvedWorkloads, taskWorkloads } from './workloads/tasks.js';
import { tokenWorkloads } from './workloads/tokens.js';

/** What costs the same, however much is around it. */
export const flatWorkloads: Workloads = {
  ...offerWorkloads,
  ...peerWorkloads,
  ...clientWorkloads,
  ...gatewayWorkloads,
  ...taskWorkloads,
  ...tokenWorkloads,
};

/** Lists that cost the same to tell again, however long they are. */
export const listWorkloads: Workloads = { ...serverListWorkloads, ...gatewayListWorkloads };

export const halvedWorkloads: Workloads = { ...taskHalvedWorkloads, ...questionWorkloads };

/** What may cost as much as is gone through. */
export const growingWorkloads: Workloads = {
  ...notificationWorkloads,
  ...stepWorkloads,
  ...messageWorkloads,
  ...formWorkloads,
};

/** Names of what is measured in bytes while nothing happens. */
export const IDLE_SESSION = 'a session that idles';
export const IDLE_STREAM = 'a stream that idles';
