import { readFileSync } from "node:fs";

/** The package file is two folders up, in a checkout and in an installed package alike, and not present in a bundle. */
export function readVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    if (typeof manifest !== "object" || manifest === null) return UNKNOWN;
    const isOurs = "name" in manifest && manifest.name === "toolcrib" && "version" in manifest;
    return isOurs ? String(manifest.version) : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

const UNKNOWN = "unknown";
