/** The version of the wire that clients from 0.3 on speak. */
export const PROTOCOL_VERSION = 3;
