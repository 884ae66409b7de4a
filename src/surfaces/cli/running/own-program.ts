import { fileURLToPath } from "node:url";

/** What this program is called on a path. */
export const PROGRAM = "toolcrib";

/** Where it lies, for Node to run. */
export const BIN = fileURLToPath(new URL("../../../../bin/toolcrib.js", import.meta.url));
