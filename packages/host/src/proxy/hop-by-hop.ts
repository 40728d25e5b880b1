/** Extension with which the client of a host requests the name of the server in each input request. */
export const SERVER_NAMES_EXTENSION = 'dev.tenon/servers';
