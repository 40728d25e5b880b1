/** Keys of the gateways under test. */
export const GATEWAY_KEYS = [{ id: 'shared', key: new Uint8Array(32).fill(7) }];

/** The same keys, as the command reads them. */
export const KEYS_VARIABLE = `shared:${Buffer.alloc(32, 7).toString('base64')}`;
