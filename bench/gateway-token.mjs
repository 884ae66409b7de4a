/** A file of its own, so that a gateway that is measured loads no client for it. */
export const TOKEN = "bench-token-of-no-worth";
