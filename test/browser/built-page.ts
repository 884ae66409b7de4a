import { fileURLToPath } from "node:url";

/** Where the build puts the inspector's page. */
export const PAGE_FOLDER = fileURLToPath(new URL("../../dist/inspector", import.meta.url));
