/** The version of this library, as it is published. */
export const version = '0.1.0';
