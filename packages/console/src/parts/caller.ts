import type { CallerView } from '../api.js';

/** Describes a caller in words. */
export const describeCaller = ({ principal, clientId }: CallerView): string =>
  principal === undefined ? 'a caller without sign-in' : `${principal}${clientId ? `, by ${clientId}` : ''}`;
