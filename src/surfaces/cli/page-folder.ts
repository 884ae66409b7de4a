import { fileURLToPath } from "node:url";

/** Where the inspector's built page lies. */
export const PAGE_FOLDER = fileURLToPath(new URL("../../inspector", import.meta.url));
