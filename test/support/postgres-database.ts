import { inject } from "vitest";

/** The address of a new, empty database of the one PostgreSQL that all tests of a run share. */
export async function createDatabase(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${inject("postgres")}/`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
