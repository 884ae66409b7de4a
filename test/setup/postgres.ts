import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { startPostgres } from "../support/postgres-server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Port on loopback that starts the one PostgreSQL of this run when it is first asked, and says where it is. */
    readonly postgres: number;
  }
}

/** One server for all test files, in the process that runs them all; nothing starts in a run that needs none. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: ReturnType<typeof startPostgres> | null = null;
  let databases = 0;
  const starter = createServer(async (_, response) => {
    try {
      server ??= startPostgres();
      databases += 1;
      // Named before anything is waited for, or two that ask while the server starts get the same one.
      const name = `test_${databases}`;
      response.end(await (await server).createDatabase(name));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => starter.listen(0, "127.0.0.1", resolve));
  project.provide("postgres", (starter.address() as AddressInfo).port); // It listens on a port, not a path.
  return async () => {
    starter.close();
    // Why it did not start is what the tests that needed it have failed with.
    await (await server?.catch(() => null))?.dispose();
  };
}
