/** Content codings that `decodeBody` reads, for the header `Accept-Encoding`. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';
