/** The validator of the library, in a part that is loaded on its first use. */
export { loadPeerSchema } from 'tenon';
