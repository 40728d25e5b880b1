import type { Scenes } from './scene.js';
import { clients } from './scenes/clients.js';
import { gateway } from './scenes/gateway.js';
import { goneThrough, offers, toldAgain } from './scenes/offers.js';
import { peers, told } from './scenes/peers.js';
import { halved, tasks } from './scenes/tasks.js';

/** What costs the same, however much is around it. */
export const flat: Scenes = { ...offers, ...peers, ...clients, ...gateway, ...tasks };

export { halved, toldAgain };

/** What may cost as much as is gone through. */
export const growing: Scenes = { ...goneThrough, ...told };
