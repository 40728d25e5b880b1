/** Key of the runtime of a server that can be mounted in another one. All copies of this module have the same key. */
export const MOUNTABLE: unique symbol = Symbol.for('tenon.mountable') as never;
