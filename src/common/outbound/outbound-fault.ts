/** Why a request had no answer. The message is for the tenant that named the address, and has nothing of the network around this node. */
export class OutboundFault extends Error {}

/** Fault of a server that did not answer in time. */
export class OutboundTimeout extends OutboundFault {}
